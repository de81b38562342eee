import type { ClientSession, Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";

/**
 * Runs some work in a transaction that excludes all others under the same lock, in every process. For rules
 * about several documents, such as "an account has an owner". `work` may run several times.
 */
export function oneAtATime<T>(
  db: Db,
  { lock }: { lock: string },
  work: (session: ClientSession) => Promise<T>,
): Promise<T> {
  const { counters } = collectionsOf(db);
  const options = {
    readConcern: { level: "snapshot" },
    writeConcern: { w: "majority", journal: true },
  } as const;
  return db.client.withSession((session) =>
    session.withTransaction(async () => {
      // Two transactions that write the same document conflict: the driver restarts the later one.
      const counted = { upsert: true, session };
      await counters.updateOne({ _id: lock }, { $inc: { value: 1 } }, counted);
      return await work(session);
    }, options)
  );
}
