import type { Integration, SealedSecret } from "@posthaste/contracts";
import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";
import {
  checkSecret,
  INTEGRATION_DKIM_KEY,
  INTEGRATION_PASSWORD,
  type MasterKeys,
  rewrapSecret,
} from "./secret_box.ts";

/** Which secrets to bring under the current master key. */
export interface Rewrapping {
  keys: MasterKeys;
  /** The most at once. */
  limit: number;
  /** `last` of the batch before; the first batch when left out. */
  after?: string | undefined;
}

/** A batch of secrets that were looked at. */
export interface RewrappedBatch {
  /** How many are under the current master key now and were not before. */
  rewrapped: number;
  /** Those that stay as they are, by their record's id, with the reason. It holds no secret. */
  faults: { recordId: string; reason: string }[];
  /** Where the next batch goes on; `null` if there are no more. */
  last: string | null;
}

/** How many secrets are sealed under a master key. */
export interface KeyUse {
  keyId: string;
  count: number;
}

/** Bringing secrets under another master key, for all accounts. */
export interface SecretRotation {
  /** Counts the sealed secrets by the id of their master key. */
  countSecrets(): Promise<KeyUse[]>;
  /**
   * Brings secrets under the current master key that are under another, a batch at a time. None is
   * opened; whoever reads one meanwhile finds it under the one key or the other. It may be broken off
   * and begun again.
   */
  rewrapSecrets(rewrapping: Rewrapping): Promise<RewrappedBatch>;
  /**
   * Finds the secrets that master keys do not open, by their record's id, with the reason. None is
   * opened.
   */
  lockedSecrets(keys: MasterKeys): Promise<RewrappedBatch["faults"]>;
}

/** Gives the rotation of master keys. */
export function secretRotation(db: Db): SecretRotation {
  const { integrations } = collectionsOf(db);

  async function rewrap(found: Integration, keys: MasterKeys): Promise<number> {
    for (let current: Integration | null = found; current !== null;) {
      const { _id, accountId, revision }: Integration = current;
      const stale = secretsOf(current).filter(({ secret }) => secret.keyId !== keys.currentId);
      if (stale.length === 0) return 0;
      const changes = stale.map(({ field, secret }) => {
        const { keyId, wrappedKey } = rewrapSecret(secret, {
          ...{ keys, accountId, recordId: _id, field },
        });
        return { [`${field}.keyId`]: keyId, [`${field}.wrappedKey`]: wrappedKey };
      });
      // With the revision: a change that has read the record before must not bring the old key back.
      const { matchedCount } = await integrations.updateOne({ _id, accountId, revision }, {
        $set: Object.assign({}, ...changes),
        $inc: { revision: 1 },
      });
      if (matchedCount === 1) return stale.length;
      current = await integrations.findOne({ _id, accountId });
    }
    return 0;
  }

  return {
    async countSecrets() {
      const groups = await integrations.aggregate<{ _id: string; count: number }>([
        { $project: { keyId: FIELDS.map((field) => `$${field}.keyId`) } },
        { $unwind: "$keyId" },
        { $match: { keyId: { $type: "string" } } },
        { $group: { _id: "$keyId", count: { $sum: 1 } } },
        { $sort: { _id: 1 } },
      ]).toArray();
      return groups.map(({ _id, count }) => ({ keyId: _id, count }));
    },
    async rewrapSecrets({ keys, limit, after = "" }) {
      const found = await integrations.find({
        _id: { $gt: after },
        // `$gte: ""`: a text, so that one without a secret is none.
        $or: FIELDS.map((field) => ({
          [`${field}.keyId`]: { $ne: keys.currentId, $gte: "" },
        })),
      }).sort({ _id: 1 }).limit(limit).toArray();
      const batch: RewrappedBatch = { rewrapped: 0, faults: [], last: found.at(-1)?._id ?? null };
      for (const integration of found) {
        try {
          batch.rewrapped += await rewrap(integration, keys);
        } catch (error) {
          // Of the database: nothing is known of the others either.
          if (!isOfSecret(error)) throw error;
          batch.faults.push({ recordId: integration._id, reason: error.message });
        }
      }
      return batch;
    },
    async lockedSecrets(keys) {
      const faults: RewrappedBatch["faults"] = [];
      for await (const integration of integrations.find().sort({ _id: 1 })) {
        const { _id: recordId, accountId } = integration;
        for (const { field, secret } of secretsOf(integration)) {
          try {
            checkSecret(secret, { keys, accountId, recordId, field });
          } catch (error) {
            faults.push({ recordId, reason: (error as Error).message });
          }
        }
      }
      return faults;
    },
  };
}

/** Where an integration has secrets, which are bound to these names. */
const FIELDS = [INTEGRATION_PASSWORD, INTEGRATION_DKIM_KEY] as const;

function secretsOf({ auth, dkim }: Integration): { field: string; secret: SealedSecret }[] {
  return [
    ...(auth ? [{ field: INTEGRATION_PASSWORD, secret: auth.password }] : []),
    ...(dkim ? [{ field: INTEGRATION_DKIM_KEY, secret: dkim.privateKey }] : []),
  ];
}

function isOfSecret(error: unknown): error is Error {
  return error instanceof Error && error.message.startsWith("Cannot open secret");
}
