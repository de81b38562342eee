const ATTEMPT_CHARS = 3;
const SUM_CHARS = 7;
const TIME_CHARS = 10;

/** The last character of the ids of message events. */
const LETTERS = {
  "message.sent": "s",
  "message.deferred": "d",
  "message.failed": "f",
  "message.unknown": "u",
  "message.canceled": "c",
  "message.retried": "r",
  "recipient.suppressed": "p",
} as const;

/** A message event in the feed. */
export type MessageEventType = keyof typeof LETTERS;

/**
 * Returns the id of an event of a message. It is derived: every process that records the event makes the same
 * id, so that it is stored once.
 *
 * @param attempt The attempt whose outcome it is, from 1.
 */
export function messageEventId(
  messageId: string,
  { type, attempt }: { type: MessageEventType; attempt: number },
): string {
  return `evt_${messageId.slice(4)}${base32(attempt, ATTEMPT_CHARS)}${LETTERS[type]}`;
}

/**
 * Returns the id of the event that a send is settled.
 *
 * @param attempts The sum of all its messages' attempts. It grows if one was sent again.
 */
export function settledEventId(sendId: string, attempts: number): string {
  return `evt_${sendId.slice(4)}${base32(attempts, SUM_CHARS)}t`;
}

/**
 * Returns the id of any other event.
 *
 * @param digest 24 characters of hex that distinguish it from others of that time.
 */
export function otherEventId(at: Date, digest: string): string {
  return `evt_${base32(at.getTime(), TIME_CHARS)}${digest}`;
}

/** Writes a number in base 32. Texts of one length sort like their numbers. */
function base32(value: number, chars: number): string {
  return value.toString(32).padStart(chars, "0");
}
