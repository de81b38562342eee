import type { Send } from "@posthaste/contracts";
import type { Db, Filter } from "mongodb";
import { isDuplicateKey } from "./_duplicate_key.ts";

/** A placeholder that blocks the id of a send for a day. */
interface Tombstone {
  _id: string;
  withdrawnAt: Date;
  /** Excludes it from the reconciler's index. */
  settledAt: Date;
}

/**
 * Takes the place of a send with a tombstone: a write of the send that is in progress finds the place taken.
 * May be repeated.
 *
 * @param over The send that may be replaced. @default none
 * @returns Whether the place now holds a tombstone. Otherwise it holds a send.
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
