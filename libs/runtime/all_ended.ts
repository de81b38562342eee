/** What became of some work. */
export interface Settled<R> {
  results: R[];
  /** What was thrown, in the order of the items. */
  errors: unknown[];
}

/**
 * Processes all items concurrently and waits until each has ended, so no work continues in the background.
 * A failure does not touch the others.
 */
export async function allSettled<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<Settled<R>> {
  const settled = await Promise.allSettled(items.map(work));
  return {
    results: settled.flatMap((one) => one.status === "fulfilled" ? [one.value] : []),
    errors: settled.flatMap((one) => one.status === "rejected" ? [one.reason as unknown] : []),
  };
}

/**
 * Processes all items concurrently and waits until each has ended, so no work continues in the background.
 *
 * @throws What the first of them threw, when all have ended.
 */
export async function allEnded<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const { results, errors } = await allSettled(items, work);
  if (errors.length > 0) throw errors[0];
  return results;
}
