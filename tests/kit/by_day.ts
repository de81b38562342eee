import process from "node:process";

/** Set by the test runner while nothing asks for a file alone. */
const VARIABLE = "POSTHASTE_TEST_BY_DAY";

/**
 * Chooses how much of what takes long a test does: `few` in a plain `npm test`, and `all` at night
 * (`--all`), or when the file is asked for by its path, by a change that touches it, or by `node --test`.
 *
 * ```ts
 * for (const page of byDay(PAGES.slice(0, 3), PAGES)) test(page.name, …);
 * ```
 */
export function byDay<T>(few: T, all: T): T {
  return process.env[VARIABLE] === "1" ? few : all;
}
