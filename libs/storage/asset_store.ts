import type { EmailVersion, Template } from "@posthaste/contracts";
import { Binary, type Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";
import { isDuplicateKey } from "./_duplicate_key.ts";
import type { AssetName } from "./asset_name.ts";

/** A file that a send needs. Without bytes, it is one that is already stored. */
export interface NeededAsset {
  sha256: string;
  bytes?: Uint8Array | undefined;
}

/** Selects files that are no longer kept. */
export interface OldAssets {
  /** Those that no send has needed since. */
  before: Date;
  /** The most files to examine. */
  limit: number;
  /** `last` of the previous batch; left out for the first batch. */
  after?: string | undefined;
}

/** Files that mails carry: their bytes by account and hash, and the names of those that accounts keep. */
export interface AssetStore {
  /**
   * Stores the files of a send that is about to be accepted. When this returns, they are known to a majority
   * and on disk, and they are not removed before the send is accepted.
   *
   * @throws {Error} If a file without bytes is gone.
   */
  keep(accountId: string, needed: readonly NeededAsset[], now: Date): Promise<void>;
  /** Finds the bytes of an account's file. */
  find(accountId: string, sha256: string): Promise<Uint8Array | null>;
  /** Finds the file that an account keeps under a name. */
  findName(accountId: string, name: string): Promise<AssetName | null>;
  /** Lists the files that an account keeps, by name; `after` is the name of the last one seen. */
  listNames(
    accountId: string,
    page: { limit: number; after?: string | undefined },
  ): Promise<AssetName[]>;
  /** Keeps a file under a name and replaces the file that had the name. */
  putName(asset: AssetName, bytes: Uint8Array): Promise<void>;
  /** Changes what is said of a kept file. Returns null if there is none of that name. */
  describeName(
    accountId: string,
    name: string,
    changes: Pick<Partial<AssetName>, "alt" | "filename"> & Pick<AssetName, "updatedAt">,
  ): Promise<AssetName | null>;
  /** Returns how many files an account keeps, and their bytes together. */
  sizeOfNames(accountId: string): Promise<{ count: number; bytes: number }>;
  /** Lists the published templates of an account whose published version uses a name. */
  usersOfName(
    accountId: string,
    name: string,
  ): Promise<Pick<Template, "kind" | "id" | "name">[]>;
  /**
   * Finds a file that a published version shows by its URL, of any account: the hash identifies the bytes. Its
   * type is that of the version.
   */
  findShown(sha256: string): Promise<{ bytes: Uint8Array; contentType: string } | null>;
  /** Removes a file's name; sends that need the file keep it. Returns whether the name existed. */
  removeName(accountId: string, name: string): Promise<boolean>;
  /** Removes files that are needed by no name, no published version and no stored send. Returns how many. */
  removeOld(old: OldAssets): Promise<{ removed: number; last: string | null }>;
}

/** Returns the operations on files. */
export function assetStore(db: Db): AssetStore {
  const { assets, assetNames, sends, templates, versions } = collectionsOf(db);

  async function touch(accountId: string, sha256: string, now: Date): Promise<boolean> {
    const same = { _id: idOf(accountId, sha256), accountId };
    return (await assets.updateOne(same, { $max: { usedAt: now } })).matchedCount > 0;
  }

  async function keep(accountId: string, { sha256, bytes }: NeededAsset, now: Date): Promise<void> {
    // It may be removed between the two steps, or another request may store it.
    for (let tries = 0; tries < 3; tries++) {
      if (await touch(accountId, sha256, now)) return;
      if (bytes === undefined) break;
      try {
        const _id = idOf(accountId, sha256);
        await assets.insertOne({ _id, accountId, bytes: new Binary(bytes), usedAt: now });
        return;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
    }
    throw new Error(`Cannot keep the file "${sha256}": it is no longer stored`);
  }

  async function isNeeded(accountId: string, sha256: string): Promise<boolean> {
    const found = await Promise.all([
      assetNames.findOne({ accountId, sha256 }, { projection: { _id: 1 } }),
      sends.findOne({ accountId, assets: sha256 }, { projection: { _id: 1 } }),
      versions.findOne({ accountId, "assets.sha256": sha256 }, { projection: { _id: 1 } }),
    ]);
    return found.some((one) => one !== null);
  }

  return {
    async keep(accountId, needed, now) {
      for (const asset of needed) await keep(accountId, asset, now);
    },
    async find(accountId, sha256) {
      const found = await assets.findOne({ _id: idOf(accountId, sha256), accountId });
      return found === null ? null : found.bytes.value();
    },
    async findName(accountId, name) {
      const found = await assetNames.findOne({ _id: `${accountId}/${name}`, accountId });
      return found === null ? null : withoutId(found);
    },
    async listNames(accountId, { limit, after = "" }) {
      const found = await assetNames.find({ accountId, name: { $gt: after } }).sort({ name: 1 })
        .limit(limit).toArray();
      return found.map(withoutId);
    },
    async putName(asset, bytes) {
      const { accountId, name, sha256, updatedAt } = asset;
      await keep(accountId, { sha256, bytes }, updatedAt);
      const _id = `${accountId}/${name}`;
      await assetNames.replaceOne({ _id, accountId }, asset, { upsert: true });
    },
    async describeName(accountId, name, changes) {
      const same = { _id: `${accountId}/${name}`, accountId };
      const changed = await assetNames.findOneAndUpdate(same, { $set: changes }, {
        returnDocument: "after",
      });
      return changed === null ? null : withoutId(changed);
    },
    async sizeOfNames(accountId) {
      const [size] = await assetNames.aggregate<{ count: number; bytes: number }>([
        { $match: { accountId } },
        { $group: { _id: null, count: { $sum: 1 }, bytes: { $sum: "$size" } } },
        { $project: { _id: 0 } },
      ]).toArray();
      return size ?? { count: 0, bytes: 0 };
    },
    async usersOfName(accountId, name) {
      const using = await versions.find({ accountId, "assets.name": name })
        .project<Pick<EmailVersion, "templateId" | "version"> & Pick<Template, "kind">>({
          ...{ _id: 0, kind: 1, templateId: 1, version: 1 },
        }).toArray();
      const published = using.map(({ kind, templateId, version }) => ({
        ...{ kind, id: templateId, publishedVersion: version },
      }));
      if (published.length === 0) return [];
      const found = await templates.find({ accountId, archivedAt: null, $or: published })
        .sort({ kind: 1, id: 1 }).toArray();
      return found.map(({ kind, id, name }) => ({ kind, id, name }));
    },
    async findShown(sha256) {
      const shown = { $elemMatch: { sha256, url: { $exists: true } } };
      // Only the first condition is seen to fit the index.
      const version = await versions.findOne({ "assets.sha256": sha256, assets: shown }, {
        projection: { accountId: 1, assets: 1 },
      });
      if (version === null) return null;
      const { accountId } = version;
      const contentType = version.assets?.find((one) => one.sha256 === sha256)?.contentType;
      const found = await assets.findOne({ _id: idOf(accountId, sha256), accountId });
      return found === null || contentType === undefined
        ? null
        : { bytes: found.bytes.value(), contentType };
    },
    async removeName(accountId, name) {
      const same = { _id: `${accountId}/${name}`, accountId };
      return (await assetNames.deleteOne(same)).deletedCount > 0;
    },
    async removeOld({ before, limit, after = "" }) {
      const old = await assets.find({ _id: { $gt: after }, usedAt: { $lt: before } })
        .sort({ _id: 1 }).limit(limit)
        .project<{ _id: string; accountId: string }>({ accountId: 1 }).toArray();
      let removed = 0;
      for (const { _id, accountId } of old) {
        if (await isNeeded(accountId, _id.slice(accountId.length + 1))) continue;
        // A send that needs it meanwhile has noted that first.
        removed += (await assets.deleteOne({ _id, accountId, usedAt: { $lt: before } }))
          .deletedCount;
      }
      return { removed, last: old.length < limit ? null : old.at(-1)?._id ?? null };
    },
  };
}

function idOf(accountId: string, sha256: string): string {
  return `${accountId}/${sha256}`;
}

function withoutId({ _id, ...asset }: AssetName & { _id: string }): AssetName {
  return asset;
}
