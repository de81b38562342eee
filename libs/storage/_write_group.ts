import type { Collection, Filter, UpdateFilter } from "mongodb";

/** A change of one document that applies only if the document matches the filter. */
export interface ConditionalWrite<T> {
  filter: Filter<T>;
  update: UpdateFilter<T>;
  /** Matches the document after the write, so that a repeated write counts as done. */
  done: Filter<T>;
}

interface Waiting<T> extends PromiseWithResolvers<boolean> {
  write: ConditionalWrite<T>;
}

const MAX_GROUP_SIZE = 500;
const MAX_COMMANDS = 2;

/**
 * Groups writes that come while others are in progress into one command: a majority then confirms and syncs
 * many at the price of one. A single write is sent immediately.
 *
 * @returns A function that writes, and returns whether the document is as the write wants it.
 */
export function writeGroup<T extends { _id: string }>(
  collection: Collection<T>,
): (write: ConditionalWrite<T>) => Promise<boolean> {
  let waiting: Waiting<T>[] = [];
  let commands = 0;
  let isPlanned = false;

  function plan(): void {
    if (isPlanned || commands >= MAX_COMMANDS || waiting.length === 0) return;
    isPlanned = true;
    setImmediate(() => {
      isPlanned = false;
      void flush();
    });
  }

  async function flush(): Promise<void> {
    const group = waiting.slice(0, MAX_GROUP_SIZE);
    waiting = waiting.slice(MAX_GROUP_SIZE);
    commands++;
    try {
      await settle(collection, group);
    } catch (error) {
      for (const { reject } of group) reject(error);
    } finally {
      commands--;
      plan();
    }
  }

  return (write) => {
    const entry = { write, ...Promise.withResolvers<boolean>() };
    waiting.push(entry);
    plan();
    return entry.promise;
  };
}

async function settle<T extends { _id: string }>(
  collection: Collection<T>,
  group: Waiting<T>[],
): Promise<void> {
  const operations = group.map(({ write: { filter, update } }) => ({
    updateOne: { filter, update },
  }));
  const { matchedCount } = await collection.bulkWrite(operations, { ordered: false });
  if (matchedCount === group.length) return group.forEach(({ resolve }) => resolve(true));
  // The command returns how many matched, not which.
  await Promise.all(group.map(async ({ write, resolve }) => {
    resolve(await collection.countDocuments(write.done, { limit: 1 }) === 1);
  }));
}
