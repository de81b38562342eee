/** Does work; a newer call of the same caller ends the wait of the older one. */
export type LatestOnly = <T>(who: string, work: () => Promise<T>) => Promise<T>;

/**
 * Opens a queue in which each caller waits for one result at a time. The older work itself
 * continues; only the wait ends, with the given error.
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
