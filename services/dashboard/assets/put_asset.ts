import { hash } from "node:crypto";
import { AssetFault, readAsset } from "@posthaste/assets";
import { isBlockedFile, MAX_ASSETS, usualFilename } from "@posthaste/contracts";
import type { AssetName, StorePart } from "@posthaste/storage";
import { formatBytes } from "@posthaste/runtime";
import { HttpError } from "../http_error.ts";
import { requireQuota } from "../quotas.ts";
import type { UploadLimit } from "../upload_limit.ts";

/** A file to keep under a name. */
export interface NewAsset {
  accountId: string;
  name: string;
  body: Buffer;
  /** Media type as the sender says. */
  contentType: string;
  /** Both stay as they are, or get their defaults, if they are left out. */
  alt?: string | undefined;
  filename?: string | undefined;
}

/** What {@linkcode putAsset} needs. */
export interface PutAssetDeps {
  store: StorePart<"assets.findName" | "assets.sizeOfNames" | "assets.putName">;
  /** The most bytes that an account keeps. */
  maxBytes: number;
  uploads: UploadLimit;
  now(): Date;
}

/**
 * Keeps a file under a name, and replaces the file that has the name.
 *
 * @throws {HttpError} `invalid_request` for a file that must not be stored, `conflict` if there is no room for it, `too_many_requests`.
 */
export async function putAsset(wish: NewAsset, deps: PutAssetDeps): Promise<AssetName> {
  const { accountId, name, body } = wish;
  const { store, maxBytes, uploads, now } = deps;
  const { bytes, contentType, width, height } = reading(() => readAsset(body, wish.contentType));
  const [before, kept] = await Promise.all([
    store.assets.findName(accountId, name),
    store.assets.sizeOfNames(accountId),
  ]);
  if (before === null) {
    requireQuota(kept.count, MAX_ASSETS, `The account keeps ${MAX_ASSETS} files, the maximum`);
  }
  if (kept.bytes - (before?.size ?? 0) + bytes.length > maxBytes) {
    const error = `The files of the account would exceed ${formatBytes(maxBytes)} together`;
    throw new HttpError("conflict", `${error}. Remove some first`);
  }
  const isSameType = before?.contentType === contentType;
  const filename = wish.filename ??
    (isSameType ? before.filename : usualFilename(name, contentType));
  if (isBlockedFile(filename)) throw refused("The file has an ending that mail servers refuse");
  const asset: AssetName = {
    ...{ accountId, name, filename, contentType, size: bytes.length, updatedAt: now() },
    sha256: hash("sha256", bytes, "hex"),
    alt: wish.alt ?? before?.alt ?? "",
    ...(width && height ? { width, height } : {}),
  };
  if (before?.sha256 !== asset.sha256) uploads.count(accountId, bytes.length);
  await store.assets.putName(asset, bytes);
  return asset;
}

function reading<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof AssetFault) throw refused(error.message);
    throw error;
  }
}

function refused(message: string): HttpError {
  return new HttpError("invalid_request", message);
}
