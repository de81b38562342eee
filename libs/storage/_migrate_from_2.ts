import type { Send } from "@posthaste/contracts";
import type { Db } from "mongodb";
import { collectionsOf, type StoredKey } from "./_collections.ts";
import { dropIndex } from "./_drop_index.ts";
import { hasOnlyDuplicateKeys } from "./_duplicate_key.ts";
import { idOfKey } from "./send_acceptance.ts";

const AT_ONCE = 500;

/** Brings documents of version 2 up: what each change is stands at its function. */
export async function migrateFrom2(db: Db): Promise<void> {
  await moveIdempotencyKeys(db);
}

/** A send had its idempotency key in itself. */
async function moveIdempotencyKeys(db: Db): Promise<void> {
  const { sends, idempotencyKeys } = collectionsOf(db);
  const move = async (keys: StoredKey[]) => {
    await idempotencyKeys.insertMany(keys, { ordered: false }).catch((error) => {
      // Moved before this was broken off.
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
    if (keys.length < AT_ONCE) continue;
    await move(keys);
    keys = [];
  }
  if (keys.length > 0) await move(keys);
  await dropIndex(sends, "accountId_1_idempotency.key_1");
  await dropIndex(sends, "idempotency_expiry");
}
