import { createHash } from "node:crypto";
import { type Content, MAX_EVENT_BYTES } from "@posthaste/contracts";

/** Puts a text into the object store under its key. */
export type StoreContent = (key: string, text: string) => Promise<void>;

// Leaves room for JSON's escapes and for the rest of the event.
const INLINE_BYTES = Math.floor(MAX_EVENT_BYTES * 0.6);

const NONE: ReadonlySet<string> = new Set();

/**
 * Decides which of a message's texts travel in its event: all, if they fit, except those that other messages share.
 * Shared texts, and the largest if the rest does not fit, go to the object store, under the SHA-256 of their content.
 */
export async function packContents(
  texts: string[],
  store: StoreContent,
  shared: ReadonlySet<string> = NONE,
): Promise<Content[]> {
  const contents: Content[] = texts.map((inline) => ({ inline }));
  const putAway = async (index: number) => {
    const text = texts[index] ?? "";
    const key = createHash("sha256").update(text).digest("hex");
    await store(key, text);
    contents[index] = { key };
  };
  const own: number[] = [];
  for (const [index, text] of texts.entries()) {
    if (shared.has(text)) await putAway(index);
    else own.push(index);
  }
  const lengthOf = (index: number) => texts[index]?.length ?? 0;
  const characters = own.reduce((sum, index) => sum + lengthOf(index), 0);
  // JSON writes a character in six bytes at most: most messages need not be measured.
  if (characters * 6 <= INLINE_BYTES) return contents;
  const sizes = new Map(
    own.map((index) => [index, Buffer.byteLength(JSON.stringify(texts[index]))]),
  );
  let total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  for (const [index, size] of [...sizes].sort(([, one], [, other]) => other - one)) {
    if (total <= INLINE_BYTES) break;
    await putAway(index);
    total -= size;
  }
  return contents;
}
