/** Does work for somebody whose newer wish ends the wait for the older. */
export type LatestOnly = <T>(who: string, work: () => Promise<T>) => Promise<T>;

/**
 * Opens what waits for one thing at a time of everybody. The work itself goes on: it is the wait that
 * ends, with the given error.
 */
export function openLatestOnly(replaced: () => Error): LatestOnly {
  const waits = new Map<string, () => void>();
  return async (who, work) => {
    waits.get(who)?.();
    const { promise, reject } = Promise.withResolvers<never>();
    const end = () => reject(replaced());
    waits.set(who, end);
    try {
      return await Promise.race([work(), promise]);
    } finally {
      if (waits.get(who) === end) waits.delete(who);
    }
  };
}
