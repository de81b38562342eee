const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const TIME_CHARS = 10;
const RANDOM_CHARS = 16;
const INDEX_CHARS = 4;
const SEND_PATTERN = /^snd_[0-9a-hjkmnp-tv-z]{26}$/;
const MESSAGE_PATTERN = /^msg_[0-9a-hjkmnp-tv-z]{30}$/;

/** The largest index of a recipient that fits into a message's id. */
export const MAX_RECIPIENT_INDEX = 32 ** INDEX_CHARS - 1;

function base32(value: number, chars: number): string {
  let text = "";
  let rest = value;
  while (text.length < chars) {
    text = ALPHABET[rest % 32] + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

function randomBase32(chars: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(chars));
  return Array.from(bytes, (byte) => ALPHABET[byte % 32]).join("");
}

/** What an id begins with, by what it is the id of: accounts, audit lines, sends, users. */
export type IdPrefix = "acc" | "aud" | "snd" | "usr";

/**
 * Makes an id: its prefix, `_` and a ULID in lower case (48 bits of time, 80 random bits), so that ids
 * sort by time.
 */
export function newId(prefix: IdPrefix, now: Date = new Date()): string {
  return `${prefix}_${base32(now.getTime(), TIME_CHARS)}${randomBase32(RANDOM_CHARS)}`;
}

/** Makes the id of a send; these sort by time of acceptance. */
export function newSendId(now: Date = new Date()): string {
  return newId("snd", now);
}

/**
 * Makes the id of one recipient's message. It is derived, not drawn: every process that knows the
 * send knows the ids of its messages, and a message belongs to one send for ever.
 *
 * @param sendId Id of the send.
 * @param index Position in the request's `to`, from 0.
 * @throws {RangeError} If the index does not fit.
 */
export function messageIdOf(sendId: string, index: number): string {
  if (!Number.isInteger(index) || index < 0 || index > MAX_RECIPIENT_INDEX) {
    throw new RangeError(`Cannot make a message id for recipient ${index}: index out of range`);
  }
  return `msg_${sendId.slice(4)}${base32(index, INDEX_CHARS)}`;
}

/**
 * Gives what the ids of everything accepted at a time or later are not less than, and those of what was
 * accepted earlier are: ids sort by time.
 */
export function idsFrom(kind: "snd" | "msg", at: Date): string {
  return `${kind}_${base32(Math.max(0, at.getTime()), TIME_CHARS)}`;
}

/** Splits a message's id into its send and index, or gives `undefined` when it is none. */
export function parseMessageId(id: string): { sendId: string; index: number } | undefined {
  if (!MESSAGE_PATTERN.test(id)) return undefined;
  let index = 0;
  for (const char of id.slice(-INDEX_CHARS)) index = index * 32 + ALPHABET.indexOf(char);
  return { sendId: `snd_${id.slice(4, -INDEX_CHARS)}`, index };
}

/** Tells whether a text has the shape of a send's id. */
export function isSendId(id: string): boolean {
  return SEND_PATTERN.test(id);
}
