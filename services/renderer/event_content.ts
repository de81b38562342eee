import { createHash } from "node:crypto";
import { type Content, MAX_EVENT_BYTES } from "@posthaste/contracts";

/** Puts a text into the object store under its key. */
export type StoreContent = (key: string, text: string) => Promise<void>;

// Leaves room for JSON's escapes and for the rest of the event.
const INLINE_BYTES = Math.floor(MAX_EVENT_BYTES * 0.6);

const NONE: ReadonlySet<string> = new Set();

/** What decides which texts travel in an event. */
export interface PackOptions {
  /** Texts that other messages share. @default none */
  shared?: ReadonlySet<string>;
  /** Space for the JSON of all texts, in bytes. @default three fifths of an event */
  room?: number;
}

/** The texts of a mail as they travel, and the space that they leave for others in their event, in bytes. */
export interface PackedTexts {
  texts: ({ bytes: Uint8Array } | { key: string })[];
  room: number;
}

/**
 * Decides which texts of a mail travel behind the JSON of its event, in UTF-8: all, if they fit. Otherwise the largest go
 * to the object store, under the SHA-256 of their content.
 */
export async function packTexts(texts: string[], store: StoreContent): Promise<PackedTexts> {
  const packed: PackedTexts["texts"] = texts.map((text) => ({ bytes: Buffer.from(text) }));
  const sizes = packed.map((one, index) => ({
    index,
    size: "bytes" in one ? one.bytes.length : 0,
  }));
  let total = sizes.reduce((sum, { size }) => sum + size, 0);
  for (const { index, size } of sizes.toSorted((one, other) => other.size - one.size)) {
    if (total <= INLINE_BYTES) break;
    packed[index] = { key: await putAway(texts[index] ?? "", store) };
    total -= size;
  }
  return { texts: packed, room: INLINE_BYTES - total };
}

/**
 * Decides which texts travel in the JSON of an event: all, if they fit, except those that other messages share.
 * Shared texts, and the largest if the rest does not fit, go to the object store, under the SHA-256 of their content.
 */
export async function packContents(
  texts: string[],
  store: StoreContent,
  { shared = NONE, room = INLINE_BYTES }: PackOptions = {},
): Promise<Content[]> {
  const contents: Content[] = texts.map((inline) => ({ inline }));
  const keep = async (index: number) => {
    contents[index] = { key: await putAway(texts[index] ?? "", store) };
  };
  const own: number[] = [];
  for (const [index, text] of texts.entries()) {
    if (shared.has(text)) await keep(index);
    else own.push(index);
  }
  const lengthOf = (index: number) => texts[index]?.length ?? 0;
  const characters = own.reduce((sum, index) => sum + lengthOf(index), 0);
  // JSON writes a character in six bytes at most: most messages need not be measured.
  if (characters * 6 <= room) return contents;
  const sizes = new Map(
    own.map((index) => [index, Buffer.byteLength(JSON.stringify(texts[index]))]),
  );
  let total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  for (const [index, size] of [...sizes].sort(([, one], [, other]) => other - one)) {
    if (total <= room) break;
    await keep(index);
    total -= size;
  }
  return contents;
}

async function putAway(text: string, store: StoreContent): Promise<string> {
  const key = createHash("sha256").update(text).digest("hex");
  await store(key, text);
  return key;
}
