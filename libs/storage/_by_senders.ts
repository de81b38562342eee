/**
 * The most addresses that one search names. For up to 200 MongoDB merges what an index has of each, in order
 * (`internalQueryMaxScansToExplode`). For more it reads all that matches, to sort it.
 */
const MAX_SENDERS = 100;

/**
 * Finds the first documents of some senders, in the order of `compare`.
 *
 * @param find Finds the first `limit` documents of up to 100 addresses, in the same order.
 */
export async function bySenders<T>(
  senders: readonly string[],
  { limit, compare, find }: {
    limit: number;
    compare(one: T, other: T): number;
    find(senders: readonly string[]): Promise<T[]>;
  },
): Promise<T[]> {
  const parts = Array.from(
    { length: Math.ceil(senders.length / MAX_SENDERS) },
    (_, n) => senders.slice(n * MAX_SENDERS, (n + 1) * MAX_SENDERS),
  );
  const found = await Promise.all(parts.map(find));
  return found.flat().toSorted(compare).slice(0, limit);
}
