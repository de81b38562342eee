import type { Store } from "@posthaste/storage";

/** The sources of attachments: PDFs in the object store, files in the ledger. */
export interface AttachmentSources {
  pdf(key: string): Promise<Uint8Array | undefined>;
  file: Store["assets"]["find"];
}

/** Returns the key of an account's file among all attachments. The key of a PDF has no slash. */
export function fileKey(accountId: string, sha256: string): string {
  return `${accountId}/${sha256}`;
}

/** Returns a reader of attachments by their keys, so that one cache serves both. */
export function attachmentSource(
  { pdf, file }: AttachmentSources,
): (key: string) => Promise<Uint8Array | undefined> {
  return async (key) => {
    const [accountId = "", sha256] = key.split("/");
    return sha256 === undefined ? await pdf(key) : await file(accountId, sha256) ?? undefined;
  };
}
