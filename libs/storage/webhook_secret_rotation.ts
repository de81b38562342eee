import type { Webhook } from "@posthaste/contracts";
import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";
import type { MasterKeys } from "./master_keys.ts";
import { isSealedTo, rewrapSecret, WEBHOOK_SECRET } from "./secret_box.ts";
import { isOfSecret, type RewrappedBatch, type SecretRotation } from "./secret_rotation.ts";

/** Sealing of the secrets of webhook endpoints to another key, for all accounts. */
export type WebhookSecretRotation = Pick<SecretRotation, "count" | "rewrap">;

/** Returns the rotation of the keys that the secrets of webhook endpoints are sealed to. */
export function webhookSecretRotation(db: Db): WebhookSecretRotation {
  const { webhooks } = collectionsOf(db);

  async function rewrap(found: Webhook, keys: MasterKeys): Promise<number> {
    for (let current: Webhook | null = found; current !== null;) {
      const { _id, accountId, secrets }: Webhook = current;
      const stale = secrets.filter(({ sealed }) => !isSealedTo(sealed, keys.currentId));
      if (stale.length === 0) return 0;
      const binding = { accountId, recordId: _id, field: WEBHOOK_SECRET };
      const sealedAgain = secrets.map(({ sealed, ...rest }) => ({
        sealed: rewrapSecret(sealed, { ...binding, keys }),
        ...rest,
      }));
      // With the secrets: one that was rotated after the record was read must not be lost.
      const { matchedCount } = await webhooks.updateOne(
        { _id, accountId, secrets },
        { $set: { secrets: sealedAgain } },
      );
      if (matchedCount === 1) return stale.length;
      current = await webhooks.findOne({ _id, accountId });
    }
    return 0;
  }

  return {
    async count() {
      const groups = await webhooks.aggregate<{ _id: string; count: number }>([
        { $unwind: "$secrets" },
        { $group: { _id: "$secrets.sealed.keyId", count: { $sum: 1 } } },
        { $sort: { _id: 1 } },
      ]).toArray();
      return groups.map(({ _id: keyId, count }) => ({ keyId, count, outdated: 0 }));
    },
    async rewrap({ keys, limit, after = "" }) {
      const found = await webhooks.find({
        _id: { $gt: after },
        secrets: { $elemMatch: { "sealed.keyId": { $ne: keys.currentId } } },
      }).sort({ _id: 1 }).limit(limit).toArray();
      const batch: RewrappedBatch = { rewrapped: 0, faults: [], last: found.at(-1)?._id ?? null };
      for (const webhook of found) {
        try {
          batch.rewrapped += await rewrap(webhook, keys);
        } catch (error) {
          // An error of the database concerns the other secrets, too.
          if (!isOfSecret(error)) throw error;
          batch.faults.push({ recordId: webhook._id, reason: error.message });
        }
      }
      return batch;
    },
  };
}
