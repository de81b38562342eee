import type { Collection, Filter, UpdateFilter } from "mongodb";
import { grouped } from "./_grouped.ts";

/** A change of one document that applies only if the document matches the filter. */
export interface ConditionalWrite<T> {
  filter: Filter<T>;
  update: UpdateFilter<T>;
  /** Matches the document after the write, so that a repeated write counts as done. */
  done: Filter<T>;
}

/**
 * Groups the conditional writes of one process.
 *
 * @returns A function that writes, and returns whether the document is as the write wants it.
 */
export function writeGroup<T extends { _id: string }>(
  collection: Collection<T>,
): (write: ConditionalWrite<T>) => Promise<boolean> {
  return grouped(async (writes: readonly ConditionalWrite<T>[]) => {
    const operations = writes.map(({ filter, update }) => ({ updateOne: { filter, update } }));
    const { matchedCount } = await collection.bulkWrite(operations, { ordered: false });
    if (matchedCount === writes.length) return writes.map(() => true);
    // The command returns how many matched, not which.
    return await Promise.all(
      writes.map(async ({ done }) => await collection.countDocuments(done, { limit: 1 }) === 1),
    );
  });
}
