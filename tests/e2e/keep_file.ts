import { createHash } from "node:crypto";
import type { AccountOfSystem } from "./system.ts";

/** A file that an account keeps. */
export interface KeptFile {
  name: string;
  filename: string;
  contentType: string;
  bytes: Buffer;
  alt?: string;
  /** In pixels, of an image. */
  width?: number;
  height?: number;
}

/** Stores a file of an account, and returns it as a version pins it. */
export async function keepFile(
  { store, accountId }: Pick<AccountOfSystem, "store" | "accountId">,
  { bytes, ...file }: KeptFile,
) {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const kept = { ...file, sha256, size: bytes.length };
  await store.assets.putName({ ...kept, accountId, updatedAt: new Date() }, bytes);
  return kept;
}
