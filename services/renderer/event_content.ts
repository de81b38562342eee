import { hash } from "node:crypto";
import { type Content, MAX_EVENT_BYTES } from "@posthaste/contracts";

/** Puts a text into the object store under its key. */
export type StoreContent = (key: string, text: string) => Promise<void>;

/** Space for texts in an event, in bytes. The rest is for its other fields. */
export const TEXT_BYTES: number = Math.floor(MAX_EVENT_BYTES * 0.6);

/** A text of a mail as it travels: its UTF-8, or its key in the store. */
export type MailText = { bytes: Uint8Array } | { key: string };

/** The texts of a mail as they travel. */
export interface MailTexts {
  html: MailText;
  text: MailText;
  /** The space that they leave for other texts in their event, in bytes. */
  room: number;
}

/**
 * Decides which texts of a mail travel behind the JSON of its event: both, if there is room. Otherwise the larger one, or
 * both, go to the object store.
 *
 * @param room In bytes.
 */
export async function packMail(
  mail: { html: string; text: string },
  store: StoreContent,
  room: number = TEXT_BYTES,
): Promise<MailTexts> {
  const [html, text] = [Buffer.from(mail.html), Buffer.from(mail.text)];
  const sizes: [string, number][] = [[mail.html, html.length], [mail.text, text.length]];
  const { keys: [htmlKey, textKey], total } = await storeLargest(sizes, room, store);
  return {
    html: htmlKey === undefined ? { bytes: html } : { key: htmlKey },
    text: textKey === undefined ? { bytes: text } : { key: textKey },
    room: room - total,
  };
}

/** What decides which texts travel in an event. */
export interface PackOptions {
  /** Texts that other messages share: they are stored. @default none */
  shared?: ReadonlySet<string>;
  /** Space for the JSON of all texts, in bytes. @default three fifths of an event */
  room?: number;
}

const NONE: ReadonlySet<string> = new Set();

/**
 * Decides which texts travel in the JSON of an event: all, if they fit, except those that other messages share. Otherwise the
 * largest go to the object store, too.
 */
export async function packContents(
  texts: string[],
  store: StoreContent,
  { shared = NONE, room = TEXT_BYTES }: PackOptions = {},
): Promise<Content[]> {
  const isOwn = (text: string) => shared.size === 0 || !shared.has(text);
  const own = texts.filter(isOwn);
  const characters = own.reduce((sum, { length }) => sum + length, 0);
  // JSON writes a character in six bytes at most: most texts need not be measured.
  const mayExceed = characters * 6 > room;
  const sizes = own.map((text): [string, number] => [
    text,
    mayExceed ? Buffer.byteLength(JSON.stringify(text)) : 0,
  ]);
  const { keys } = await storeLargest(sizes, room, store);
  let next = 0;
  const contents: Content[] = [];
  for (const inline of texts) {
    const key = isOwn(inline) ? keys[next++] : await stored(inline, store);
    contents.push(key === undefined ? { inline } : { key });
  }
  return contents;
}

/**
 * Stores the largest of some texts with their sizes, until the others have room. Returns the key of each, if it was stored, and
 * the size of the others together.
 */
async function storeLargest(
  sizes: readonly [string, number][],
  room: number,
  store: StoreContent,
): Promise<{ keys: (string | undefined)[]; total: number }> {
  const keys = sizes.map((): string | undefined => undefined);
  let total = sizes.reduce((sum, [, size]) => sum + size, 0);
  const largestFirst = sizes.map(([text, size], at) => ({ text, size, at }))
    .sort((one, other) => other.size - one.size);
  for (const { text, size, at } of largestFirst) {
    if (total <= room) break;
    keys[at] = await stored(text, store);
    total -= size;
  }
  return { keys, total };
}

/** Stores a text under the SHA-256 of its content, and returns that. */
async function stored(text: string, store: StoreContent): Promise<string> {
  const key = hash("sha256", text, "hex");
  await store(key, text);
  return key;
}
