import { setTimeout as sleep } from "node:timers/promises";

const PATIENCE_MS = 180_000;

/** How long to wait and what to say in vain. */
export interface UntilOptions {
  /** For a busy machine: who waits in vain fails anyway. @default {180_000} */
  timeoutMs?: number | undefined;
  /** Time between two tries. @default {20} */
  everyMs?: number | undefined;
  /** What was waited for, such as `the message to be sent`. */
  message?: string | undefined;
}

/**
 * Waits until a condition holds, and returns what it gave. A condition that throws does not hold.
 *
 * @throws {Error} the time ran out; the cause is what the condition threw last
 */
export async function until<T>(
  condition: () => T | Promise<T>,
  options: UntilOptions = {},
): Promise<Exclude<T, false | null | undefined | 0 | "">> {
  const { timeoutMs = PATIENCE_MS, everyMs = 20, message = "the condition to hold" } = options;
  const deadline = performance.now() + timeoutMs;
  let cause: unknown;
  do {
    try {
      const value = await condition();
      if (value) return value as Exclude<T, false | null | undefined | 0 | "">;
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    await sleep(everyMs);
  } while (performance.now() < deadline);
  throw new Error(`Cannot wait longer for ${message}: ${timeoutMs} ms have passed`, { cause });
}
