/**
 * Does work; a newer call of the same caller ends the wait of the older one, and aborts the signal of its work.
 */
export type LatestOnly = <T>(
  who: string,
  work: (replaced: AbortSignal) => Promise<T>,
) => Promise<T>;

/**
 * Opens a queue in which each caller waits for one result at a time. The wait for the older one ends with the
 * given error. Its work ends only where it heeds the signal.
 */
export function openLatestOnly(replaced: () => Error): LatestOnly {
  const waits = new Map<string, AbortController>();
  return async (who, work) => {
    waits.get(who)?.abort(replaced());
    const wait = new AbortController();
    waits.set(who, wait);
    const { promise, reject } = Promise.withResolvers<never>();
    wait.signal.addEventListener("abort", () => reject(wait.signal.reason), { once: true });
    try {
      return await Promise.race([work(wait.signal), promise]);
    } finally {
      if (waits.get(who) === wait) waits.delete(who);
    }
  };
}
