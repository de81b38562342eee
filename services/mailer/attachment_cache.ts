import { LRUCache } from "lru-cache";
import { encodeAttachment } from "./base64_lines.ts";

/** Returns a PDF as it stands in a mail (base64 in lines), or `undefined` when it is not stored. */
export type LoadAttachment = (key: string) => Promise<Buffer | undefined>;

/**
 * Loads PDFs through a cache: one that many mails share is fetched and encoded once.
 *
 * @param maxBytes Memory that the cache may use.
 */
export function openAttachmentCache(
  get: (key: string) => Promise<Uint8Array | undefined>,
  maxBytes: number,
): LoadAttachment {
  const cache = new LRUCache<string, Buffer>({
    maxSize: Math.max(1, maxBytes),
    sizeCalculation: ({ length }) => Math.max(1, length),
    // Making space for another PDF must not fail the mails that wait for this one.
    ignoreFetchAbort: true,
    fetchMethod: async (key) => {
      const bytes = await get(key);
      return bytes && encodeAttachment(bytes);
    },
  });
  return (key) => cache.fetch(key);
}
