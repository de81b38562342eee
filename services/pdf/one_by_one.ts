/**
 * Gives a function that does the work of each account one after the other: what one account asks for
 * never takes more than one place.
 */
export function openOneByOne(): <T>(accountId: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();
  return async (accountId, work) => {
    const before = last.get(accountId) ?? Promise.resolve();
    const done = before.then(work, work);
    const settled = done.catch(() => undefined);
    last.set(accountId, settled);
    try {
      return await done;
    } finally {
      if (last.get(accountId) === settled) last.delete(accountId);
    }
  };
}
