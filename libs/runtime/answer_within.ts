/**
 * Waits for an answer for a limited time. Later answers are ignored.
 *
 * @throws {Error} If there is none within `timeoutMs`.
 */
export async function answerWithin<T>(timeoutMs: number, answer: T | Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
