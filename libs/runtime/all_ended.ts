/**
 * Works on all items beside each other, and waits until each has ended: nothing goes on unseen.
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
