/**
 * Maps all items, with at most `concurrency` of them at the same time. Returns the results in the items'
 * order.
 */
export async function mapSome<Item, Result>(
  concurrency: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const rest = items.entries();
  async function take(): Promise<void> {
    for (const [index, item] of rest) results[index] = await work(item);
  }
  await Promise.all(Array.from({ length: concurrency }, take));
  return results;
}
