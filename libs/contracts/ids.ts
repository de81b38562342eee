const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
/**
 * The first characters of sends' ids. `0` is reserved for ids from before there were shards: their time
 * begins with it.
 */
const SHARDS = ALPHABET.slice(1);
const NO_SHARD = "0";
const TIME_CHARS = 10;
const RANDOM_CHARS = 16;
const INDEX_CHARS = 4;
const SEND_PATTERN = /^snd_[0-9a-hjkmnp-tv-z]{26}$/;
const BATCH_PATTERN = /^bat_[0-9a-hjkmnp-tv-z]{26}$/;
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

/** The prefixes of ids: accounts, audit lines, batches, users, webhook endpoints. */
export type IdPrefix = "acc" | "aud" | "bat" | "usr" | "whk";

/**
 * Makes an id: its prefix, `_` and a ULID in lower case (48 bits of time, 80 random bits), so that ids
 * sort by time.
 */
export function newId(prefix: IdPrefix, now: Date = new Date()): string {
  return `${prefix}_${base32(now.getTime(), TIME_CHARS)}${randomBase32(RANDOM_CHARS)}`;
}

/**
 * Makes the id of a send: `snd_`, the shard of its account, 50 bits of time and 75 random bits. The ids of
 * one account sort by time of acceptance, and are adjacent.
 */
export function newSendId(accountId: string, now: Date = new Date()): string {
  const time = base32(now.getTime(), TIME_CHARS);
  return `snd_${shardOf(accountId)}${time}${randomBase32(RANDOM_CHARS - 1)}`;
}

/** Returns the shard of an account, by FNV-1a. Stored ids depend on it: it never changes. */
function shardOf(accountId: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < accountId.length; index++) {
    hash = Math.imul(hash ^ accountId.charCodeAt(index), 0x01000193);
  }
  return SHARDS.charAt((hash >>> 0) % SHARDS.length);
}

/**
 * Makes the id of one recipient's message. It is derived, not random: every process that knows the send knows
 * the ids of its messages, and a message always belongs to one send.
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

/** Selects ids by account and time of acceptance. */
export interface IdTimes {
  /** @default all accounts */
  accountId?: string | undefined;
  /** Accepted at this time or later. */
  from?: Date | undefined;
  /** Accepted before this. */
  until?: Date | undefined;
}

/** Ids from `first` on that are less than `end`. */
export interface IdRange {
  first: string;
  end: string;
}

/**
 * Returns the ranges of ids accepted within a period: one for each shard, and one for ids from before there
 * were shards. They are in order: within an account the older ids come first.
 */
export function idRanges(kind: "snd" | "msg", { accountId, from, until }: IdTimes): IdRange[] {
  const shards = accountId === undefined ? SHARDS : shardOf(accountId);
  return [...NO_SHARD + shards].map((shard) => ({
    first: from ? startOf(kind, shard, from) : `${kind}_${shard}`,
    // No id has this character.
    end: until ? startOf(kind, shard, until) : `${kind}_${shard}~`,
  }));
}

function startOf(kind: "snd" | "msg", shard: string, at: Date): string {
  const chars = shard === NO_SHARD ? TIME_CHARS - 1 : TIME_CHARS;
  const time = Math.min(Math.max(0, at.getTime()), 32 ** chars - 1);
  return `${kind}_${shard}${base32(time, chars)}`;
}

/** Returns when a send or a message was accepted, by its id. */
export function timeOfId(id: string): Date {
  // The time of an id without a shard begins with `0`, in the shard's place.
  const start = id[4] === NO_SHARD ? 4 : 5;
  return new Date(numberOf(id.slice(start, start + TIME_CHARS)));
}

function numberOf(text: string): number {
  return [...text].reduce((value, char) => value * 32 + ALPHABET.indexOf(char), 0);
}

/** Splits a message's id into its send and index; returns `undefined` for another text. */
export function parseMessageId(id: string): { sendId: string; index: number } | undefined {
  if (!MESSAGE_PATTERN.test(id)) return undefined;
  return {
    sendId: `snd_${id.slice(4, -INDEX_CHARS)}`,
    index: numberOf(id.slice(-INDEX_CHARS)),
  };
}

/** Returns whether a text has the shape of a batch's id. */
export function isBatchId(id: string): boolean {
  return BATCH_PATTERN.test(id);
}

/** Returns whether a text has the shape of a send's id. */
export function isSendId(id: string): boolean {
  return SEND_PATTERN.test(id);
}
