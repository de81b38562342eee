import { setTimeout as sleep } from "node:timers/promises";

const PATIENCE_MS = 180_000;

/** How long to wait, and the description for the error. */
export interface UntilOptions {
  /** Long enough for a busy machine, because a failing wait fails anyway. @default {180_000} */
  timeoutMs?: number | undefined;
  /** Time between two tries. @default {20} */
  everyMs?: number | undefined;
  /** Description of the condition, such as `the message to be sent`. */
  message?: string | undefined;
}

/**
 * Waits until a condition holds, and returns its value. A condition that throws does not hold.
 *
 * @throws {Error} If the time ran out; the cause is the condition's last error
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
