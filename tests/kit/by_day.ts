import process from "node:process";
import { test } from "node:test";

/** Set by the test runner unless the file was requested. */
const VARIABLE = "POSTHASTE_TEST_BY_DAY";

/**
 * Returns the cases of a long test: `few` in a plain `npm test`, and `all` at night (`--all`), or when the
 * file is requested by its path, by a change that touches it, or by `node --test`.
 *
 * ```ts
 * for (const page of byDay(PAGES.slice(0, 3), PAGES)) test(page.name, …);
 * ```
 */
export function byDay<T>(few: T, all: T): T {
  return process.env[VARIABLE] === "1" ? few : all;
}

/**
 * Returns the values to try with the case of this index: by day one of them, in turn, so that each value and each
 * case is tried; at night all of them.
 */
export function oneByDay<T>(values: readonly T[], index: number): readonly T[] {
  const at = index % values.length;
  return byDay(values.slice(at, at + 1), values);
}

/** A test that takes seconds of processor time: like `test`, but skipped by a plain `npm test`. */
export const nightTest = byDay(test.skip, test);
