import { openTimeLimit } from "./time_limit.ts";

/**
 * Waits for an answer for a limited time. Later answers are ignored.
 *
 * @throws {Error} If there is none within `timeoutMs`.
 */
export async function answerWithin<T>(timeoutMs: number, answer: T | Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  using _limit = openTimeLimit(
    timeoutMs,
    () => reject(new Error(`no answer within ${timeoutMs} ms`)),
  );
  return await Promise.race([answer, late]);
}
