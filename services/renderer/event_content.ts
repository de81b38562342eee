import { createHash } from "node:crypto";
import { type Content, MAX_EVENT_BYTES } from "@posthaste/contracts";

/** Puts a text into the object store under its key. */
export type StoreContent = (key: string, text: string) => Promise<void>;

// Leaves room for JSON's escapes and for the rest of the event.
const INLINE_BYTES = Math.floor(MAX_EVENT_BYTES * 0.6);

/**
 * Decides which of a message's texts travel in its event: all, if they fit. Otherwise the largest go to the
 * object store, under the SHA-256 of their content.
 */
export async function packContents(texts: string[], store: StoreContent): Promise<Content[]> {
  const characters = texts.reduce((sum, { length }) => sum + length, 0);
  // JSON writes a character in six bytes at most: most messages need not be measured.
  if (characters * 6 <= INLINE_BYTES) return texts.map((inline) => ({ inline }));
  const sizes = texts.map((text) => Buffer.byteLength(JSON.stringify(text)));
  let total = sizes.reduce((sum, size) => sum + size, 0);
  const contents: Content[] = texts.map((inline) => ({ inline }));
  const largestFirst = sizes.map((_, index) => index).sort((a, b) =>
    (sizes[b] ?? 0) - (sizes[a] ?? 0)
  );
  for (const index of largestFirst) {
    if (total <= INLINE_BYTES) break;
    const text = texts[index] ?? "";
    const key = createHash("sha256").update(text).digest("hex");
    await store(key, text);
    contents[index] = { key };
    total -= sizes[index] ?? 0;
  }
  return contents;
}
