/**
 * Waits for an answer, but not for ever. What comes later is not heard.
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
