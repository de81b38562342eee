import type { Send } from "@posthaste/contracts";
import type { Db, Filter } from "mongodb";
import { isDuplicateKey } from "./_duplicate_key.ts";

/** What stands in the place of a send that must not come, for a day. */
interface Tombstone {
  _id: string;
  withdrawnAt: Date;
  /** Keeps it out of the reconciler's index. */
  settledAt: Date;
}

/**
 * Takes the place of a send for a tombstone: a write of the send that is under way finds it taken. May be
 * repeated.
 *
 * @param over Which send may be replaced. @default none
 * @returns Whether a tombstone stands there; else it is a send.
 */
export async function bury(db: Db, _id: string, over?: Filter<Send>): Promise<boolean> {
  const tombstones = db.collection<Tombstone>("sends");
  const now = new Date();
  const places = [{ withdrawnAt: { $exists: true } }, ...(over === undefined ? [] : [over])];
  try {
    await tombstones.replaceOne(
      { _id, $or: places } as object,
      { withdrawnAt: now, settledAt: now },
      { upsert: true },
    );
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}
