import type { Integration, SealedSecret } from "@posthaste/contracts";
import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";
import type { MasterKeys } from "./master_keys.ts";
import {
  bindLogin,
  checkSecret,
  INTEGRATION_DKIM_KEY,
  isSealedTo,
  LOGIN_SECRETS,
  rewrapSecret,
  type SecretBinding,
} from "./secret_box.ts";

/** Selects the secrets to seal to the current master key. */
export interface Rewrapping {
  keys: MasterKeys;
  /** Maximum number per call. */
  limit: number;
  /** `last` of the previous batch; left out for the first batch. */
  after?: string | undefined;
}

/** The result of one batch of secrets. */
export interface RewrappedBatch {
  /** How many are sealed to the current master key now and were not before. */
  rewrapped: number;
  /** Secrets that stay as they are, by their record's id, with the reason, which contains no secret. */
  faults: { recordId: string; reason: string }[];
  /** Where the next batch continues; `null` if there are no more. */
  last: string | null;
}

/** How many secrets are sealed to a master key. */
export interface KeyUse {
  keyId: string;
  count: number;
  /** How many of them are sealed in the way used before there were sealing keys. */
  outdated: number;
}

/** Sealing of secrets to another master key, for all accounts. */
export interface SecretRotation {
  /** Counts the sealed secrets by the id of their master key. */
  count(): Promise<KeyUse[]>;
  /**
   * Seals secrets to the current master key that are sealed to another, or in the way used before there were
   * sealing keys, a batch at a time. It opens none. Concurrent readers find a secret sealed to the one key or
   * the other. It may be interrupted and restarted.
   */
  rewrap(rewrapping: Rewrapping): Promise<RewrappedBatch>;
  /** Finds the secrets that master keys do not open, by their record's id, with the reason. It opens none. */
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
      // With the revision: a change that has read the record before must not restore the old key.
      // A provider replaces a refresh token without another revision.
      const same = stale.map(({ binding, secret }) => [
        `${binding.field}.ciphertext`,
        secret.ciphertext,
      ]);
      const filter = { _id, accountId, revision, ...Object.fromEntries(same) };
      const { matchedCount } = await integrations.updateOne(filter, {
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
        // `$gte: ""` matches texts, and so excludes records without a secret.
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
          // An error of the database concerns the other secrets, too.
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

/** The fields of an integration that hold secrets, which are bound to these names. */
const FIELDS = [...LOGIN_SECRETS, INTEGRATION_DKIM_KEY] as const;

function secretsOf(integration: Integration): { binding: SecretBinding; secret: SealedSecret }[] {
  const { _id: recordId, accountId, host, port, auth, dkim } = integration;
  const secrets = [];
  // As it is stored: of a login of a later version, the known secrets are found.
  const login: Record<string, unknown> = auth ?? {};
  for (const field of LOGIN_SECRETS) {
    const secret = login[field.slice("auth.".length)] as SealedSecret | null | undefined;
    if (!secret) continue;
    secrets.push({ binding: bindLogin({ accountId, recordId, host, port }, field), secret });
  }
  if (dkim) {
    const binding = { accountId, recordId, field: INTEGRATION_DKIM_KEY };
    secrets.push({ binding, secret: dkim.privateKey });
  }
  return secrets;
}

/** Returns whether an error concerns one secret only. */
export function isOfSecret(error: unknown): error is Error {
  return error instanceof Error && error.message.startsWith("Cannot open secret");
}
