import type { ClientSession, Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";
import type { AssetName } from "./asset_name.ts";
import { PlanOutdatedError } from "./plan_outdated_error.ts";

/** The planned change of a file that an account keeps. Its bytes are stored before. */
export interface AssetChange {
  asset: Omit<AssetName, "accountId" | "updatedAt">;
  /** The file that had the name when the change was planned; null if there was none. */
  previous: Pick<AssetName, "sha256" | "updatedAt"> | null;
}

/** Changes a file's name within a transaction. @throws {PlanOutdatedError} */
export async function writeAssetName(
  db: Db,
  { asset, previous }: AssetChange,
  { accountId, at, session }: { accountId: string; at: Date; session: ClientSession },
): Promise<void> {
  const { assetNames } = collectionsOf(db);
  const _id = `${accountId}/${asset.name}`;
  const written = { ...asset, accountId, updatedAt: at };
  if (previous === null) {
    await assetNames.insertOne({ _id, ...written }, { session });
    return;
  }
  const { sha256, updatedAt } = previous;
  const same = { _id, accountId, sha256, updatedAt };
  const { matchedCount } = await assetNames.replaceOne(same, written, { session });
  if (matchedCount === 0) throw new PlanOutdatedError();
}
