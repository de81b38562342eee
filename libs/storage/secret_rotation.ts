import type { Integration, SealedSecret } from "@posthaste/contracts";
import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";
import type { MasterKeys } from "./master_keys.ts";
import {
  bindPassword,
  checkSecret,
  INTEGRATION_DKIM_KEY,
  INTEGRATION_PASSWORD,
  isSealedTo,
  rewrapSecret,
  type SecretBinding,
} from "./secret_box.ts";

/** Which secrets to seal to the current master key. */
export interface Rewrapping {
  keys: MasterKeys;
  /** The most at once. */
  limit: number;
  /** `last` of the batch before; the first batch when left out. */
  after?: string | undefined;
}

/** A batch of secrets that were looked at. */
export interface RewrappedBatch {
  /** How many are sealed to the current master key now and were not before. */
  rewrapped: number;
  /** Those that stay as they are, by their record's id, with the reason. It holds no secret. */
  faults: { recordId: string; reason: string }[];
  /** Where the next batch goes on; `null` if there are no more. */
  last: string | null;
}

/** How many secrets are sealed to a master key. */
export interface KeyUse {
  keyId: string;
  count: number;
  /** How many of them are sealed as they were before there were sealing keys. */
  outdated: number;
}

/** Sealing secrets to another master key, for all accounts. */
export interface SecretRotation {
  /** Counts the sealed secrets by the id of their master key. */
  count(): Promise<KeyUse[]>;
  /**
   * Seals secrets to the current master key that are sealed to another, or as they were before there
   * were sealing keys, a batch at a time. None is opened; anyone who reads one meanwhile finds it sealed
   * to the one key or the other. It may be broken off and begun again.
   */
  rewrap(rewrapping: Rewrapping): Promise<RewrappedBatch>;
  /**
   * Finds the secrets that master keys do not open, by their record's id, with the reason. None is
   * opened.
   */
  locked(keys: MasterKeys): Promise<RewrappedBatch["faults"]>;
}

/** Returns the rotation of master keys. */
export function secretRotation(db: Db): SecretRotation {
  const { integrations } = collectionsOf(db);

  async function rewrap(found: Integration, keys: MasterKeys): Promise<number> {
    for (let current: Integration | null = found; current !== null;) {
      const { _id, accountId, revision }: Integration = current;
      const stale = secretsOf(current).filter(({ secret }) => !isSealedTo(secret, keys.currentId));
      if (stale.length === 0) return 0;
      const changes = stale.map(({ binding, secret }) => {
        const { keyId, ephemeralKey, wrappedKey } = rewrapSecret(secret, { ...binding, keys });
        const parts = { keyId, ephemeralKey, wrappedKey };
        return Object.fromEntries(
          Object.entries(parts).map(([name, part]) => [`${binding.field}.${name}`, part]),
        );
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
    async count() {
      const groups = await integrations.aggregate<Omit<KeyUse, "keyId"> & { _id: string }>([
        { $project: { secret: FIELDS.map((field) => `$${field}`) } },
        { $unwind: "$secret" },
        { $match: { "secret.keyId": { $type: "string" } } },
        {
          $group: {
            _id: "$secret.keyId",
            count: { $sum: 1 },
            outdated: { $sum: { $cond: [{ $ifNull: ["$secret.ephemeralKey", false] }, 0, 1] } },
          },
        },
        { $sort: { _id: 1 } },
      ]).toArray();
      return groups.map(({ _id, count, outdated }) => ({ keyId: _id, count, outdated }));
    },
    async rewrap({ keys, limit, after = "" }) {
      const found = await integrations.find({
        _id: { $gt: after },
        // `$gte: ""`: a text, so that one without a secret is none.
        $or: FIELDS.flatMap((field) => [
          { [`${field}.keyId`]: { $ne: keys.currentId, $gte: "" } },
          { [`${field}.keyId`]: { $gte: "" }, [`${field}.ephemeralKey`]: null },
        ]),
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
    async locked(keys) {
      const faults: RewrappedBatch["faults"] = [];
      for await (const integration of integrations.find().sort({ _id: 1 })) {
        const { _id: recordId } = integration;
        for (const { binding, secret } of secretsOf(integration)) {
          try {
            checkSecret(secret, { ...binding, keys });
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

function secretsOf(integration: Integration): { binding: SecretBinding; secret: SealedSecret }[] {
  const { _id: recordId, accountId, host, port, auth, dkim } = integration;
  const secrets = [];
  if (auth) {
    const binding = bindPassword({ accountId, recordId, host, port });
    secrets.push({ binding, secret: auth.password });
  }
  if (dkim) {
    const binding = { accountId, recordId, field: INTEGRATION_DKIM_KEY };
    secrets.push({ binding, secret: dkim.privateKey });
  }
  return secrets;
}

function isOfSecret(error: unknown): error is Error {
  return error instanceof Error && error.message.startsWith("Cannot open secret");
}
