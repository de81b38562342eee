import type { GuardedResolver } from "@posthaste/egress";

/** Settings of {@linkcode openTransportPool}; times in milliseconds. */
export interface TransportPoolOptions {
  /** The name said with EHLO; it should resolve to this machine. */
  ehloName: string;
  /**
   * Returns the IP address to dial, for each connection anew, or throws an `EgressError`. Nothing else
   * looks the name up.
   */
  resolveHost: GuardedResolver;
  /** For connecting up to the end of the greeting, 15 s by default. */
  connectTimeoutMs?: number;
  /** The longest time without progress before the final dot, 60 s by default. */
  stallMs?: number;
  /** The longest wait for the answer to the final dot, 10 min by default (RFC 5321, 4.5.3.2.6). */
  replyMs?: number;
  /** The longest time for opening a connection, and for a mail up to its final dot, 5 min by default. */
  transferMs?: number;
  /** Maximum wait for a connection, 8 s by default. Then the mail is untried. */
  waitMs?: number;
  /** An unused connection is closed after this time, 30 s by default. */
  idleMs?: number;
  /** A connection is closed after this many mails, 100 by default. */
  maxMails?: number;
  /** Maximum wait of a close for mails in flight, 30 s by default. */
  drainMs?: number;
}
