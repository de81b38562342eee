/**
 * Processes all items concurrently and waits until each has ended, so no work continues in the background.
 *
 * @throws What the first of them threw, when all have ended.
 */
export async function allEnded<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const settled = await Promise.allSettled(items.map(work));
  return settled.map((one) => {
    if (one.status === "rejected") throw one.reason;
    return one.value;
  });
}
