import type { SmtpReply } from "./reply_parser.ts";
import type { TlsFault } from "./tls_fault.ts";

/**
 * How far a session had come. `body` lasts from the 354 until the final dot leaves, and `dot` from then until
 * its reply.
 */
export type SmtpPhase =
  | "connect"
  | "greeting"
  | "ehlo"
  | "tls"
  | "auth"
  | "mail"
  | "rcpt"
  | "data"
  | "body"
  | "dot";

/** Why a session or a mail failed. `reply` is the server's own word; the others are not. */
export type SmtpErrorFault =
  | "reply"
  | "refused"
  | "timeout"
  | "stalled"
  | "lost"
  | "out_of_order"
  | "tls"
  | "certificate"
  | "no_auth"
  | "no_smtputf8"
  | "too_large"
  | "aborted"
  | "held";

/** What is known of a failure beside its phase and fault. */
export interface SmtpErrorDetails {
  readonly phase: SmtpPhase;
  readonly fault: SmtpErrorFault;
  readonly reply?: SmtpReply | undefined;
  /** Whether it is about an address that gets a copy. */
  readonly isOfCopy?: boolean | undefined;
  readonly tls?: TlsFault | undefined;
  readonly sizes?: { readonly mail: number; readonly allowed: number } | undefined;
  readonly cause?: unknown;
}

/** A session or a mail that did not end well. */
export class SmtpError extends Error {
  override readonly name = "SmtpError";
  readonly phase: SmtpPhase;
  readonly fault: SmtpErrorFault;
  /** What the server said, without the password if it repeated it. */
  readonly reply: SmtpReply | undefined;
  /** Whether it is about an address that gets a copy, and not about the recipient's. */
  readonly isOfCopy: boolean;
  /** With `tls` and `certificate`. */
  readonly tls: TlsFault | undefined;
  /** Bytes of the mail and what the server takes, with `too_large`. */
  readonly sizes: { readonly mail: number; readonly allowed: number } | undefined;

  constructor(
    reason: string,
    { phase, fault, reply, isOfCopy = false, tls, sizes, cause }: SmtpErrorDetails,
  ) {
    super(reason, { cause });
    this.phase = phase;
    this.fault = fault;
    this.reply = reply;
    this.isOfCopy = isOfCopy;
    this.tls = tls;
    this.sizes = sizes;
  }

  /** Whether the final dot may have left with no refusal in return: the server may have the mail (RFC 1047). */
  get mayHaveSent(): boolean {
    return this.phase === "dot" && (this.reply === undefined || this.reply.code < 400);
  }
}
