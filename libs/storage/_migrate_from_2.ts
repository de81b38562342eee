import type { Send } from "@posthaste/contracts";
import type { Collection, Db } from "mongodb";
import { collectionsOf, type StoredKey } from "./_collections.ts";
import { dropIndex } from "./_drop_index.ts";
import { hasOnlyDuplicateKeys } from "./_duplicate_key.ts";
import { idOfKey } from "./send_acceptance.ts";

const BATCH_SIZE = 500;

/** Migrates documents of version 2. Each change is described at its function. */
export async function migrateFrom2(db: Db): Promise<void> {
  await moveIdempotencyKeys(db);
  await renameFields(db);
}

/** Only messages that may be worked on again: no one reads what the others wait for. */
const OPEN_STATES = ["deferred", "unknown", "failed"];

/** Renames fields, and the fields derived from them, to the names of the glossary. */
async function renameFields(db: Db): Promise<void> {
  const [sends, messages, registers] = ["sends", "messages", "attempts"]
    .map((name) => db.collection(name)) as [Collection, Collection, Collection];
  const there = { $exists: true };
  await sends.updateMany({ lane: there }, {
    $rename: { lane: "priority", sweepAt: "reconcileAt", sweptBy: "reconciledBy" },
  });
  await messages.updateMany(
    { state: { $in: OPEN_STATES }, parkedFor: there },
    { $rename: { parkedFor: "waitsFor" } },
  );
  await registers.updateMany({ "void.parkedFor": there }, {
    $rename: { "void.parkedFor": "void.waitsFor" },
  });
  await dropIndex(sends, "sweepAt_1");
  await dropIndex(sends, "waitsFor_1_lane_-1_acceptedAt_1");
  await dropIndex(messages, "parkedFor_1_acceptedAt_1");
}

/** Moves idempotency keys out of the sends that contained them. */
async function moveIdempotencyKeys(db: Db): Promise<void> {
  const { sends, idempotencyKeys } = collectionsOf(db);
  const move = async (keys: StoredKey[]) => {
    await idempotencyKeys.insertMany(keys, { ordered: false }).catch((error) => {
      // It was moved before the migration was interrupted.
      if (!hasOnlyDuplicateKeys(error)) throw error;
    });
    const moved = { _id: { $in: keys.map(({ sendId }) => sendId) } };
    await sends.updateMany(moved, { $unset: { idempotency: "" } });
  };
  let keys: StoredKey[] = [];
  const found = sends.find({ "idempotency.key": { $gte: "" } } as object)
    .project<Required<Pick<Send, "_id" | "accountId" | "acceptedAt" | "idempotency">>>({
      ...{ accountId: 1, acceptedAt: 1, idempotency: 1 },
    });
  for await (const { _id: sendId, accountId, acceptedAt, idempotency } of found) {
    const { key, bodyHash } = idempotency;
    keys.push({ _id: idOfKey(accountId, key), sendId, bodyHash, acceptedAt });
    if (keys.length < BATCH_SIZE) continue;
    await move(keys);
    keys = [];
  }
  if (keys.length > 0) await move(keys);
  await dropIndex(sends, "accountId_1_idempotency.key_1");
  await dropIndex(sends, "idempotency_expiry");
}
