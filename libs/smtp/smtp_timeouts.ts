/**
 * How long a server may take, in milliseconds. RFC 5321, section 4.5.3.2 contains minimum values for clients;
 * for relays that people have chosen, less is usual.
 */
export interface SmtpTimeouts {
  /** Connecting, with the encryption if it comes first. */
  readonly connectMs: number;
  readonly greetingMs: number;
  /** The reply to any command but DATA. */
  readonly commandMs: number;
  /** The reply to DATA. */
  readonly dataMs: number;
  /** Between two pieces of the content, and for the wait before the final dot. */
  readonly bodyMs: number;
  /** The reply to the final dot. A shorter wait would cause copies: the server may have the mail. */
  readonly replyMs: number;
  /** Opening a session, and a mail up to its final dot. */
  readonly transferMs: number;
}

/** The timeouts of RFC 5321. It has none for connecting and the whole transfer. */
export const RFC_TIMEOUTS: SmtpTimeouts = {
  connectMs: 30_000,
  greetingMs: 300_000,
  commandMs: 300_000,
  dataMs: 120_000,
  bodyMs: 180_000,
  replyMs: 600_000,
  transferMs: 3_600_000,
};
