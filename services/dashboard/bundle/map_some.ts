/** Does the same with every item, with so many of them at once, and returns the results in their order. */
export async function mapSome<Item, Result>(
  count: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const rest = items.entries();
  async function take(): Promise<void> {
    for (const [index, item] of rest) results[index] = await work(item);
  }
  await Promise.all(Array.from({ length: count }, take));
  return results;
}
