import type { ClientSession, Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";

/**
 * Does some work in a transaction that no other under the same lock overlaps, whichever process has it:
 * for rules about several documents, as that an account has an owner. `work` may run several times.
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
      // Two that write the same document conflict: the driver begins the later one again.
      const counted = { upsert: true, session };
      await counters.updateOne({ _id: lock }, { $inc: { value: 1 } }, counted);
      return await work(session);
    }, options)
  );
}
