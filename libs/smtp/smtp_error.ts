import type { SmtpReply } from "./reply_parser.ts";
import type { TlsFault } from "./tls_fault.ts";

/**
 * The progress of a session. `body` lasts from the 354 until the final dot is sent, and `dot` from then until
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

/** The fault of a session or a mail. `reply` comes from the server; the others do not. */
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

/** Details of a failure besides its phase and fault. */
export interface SmtpErrorDetails {
  readonly phase: SmtpPhase;
  readonly fault: SmtpErrorFault;
  readonly reply?: SmtpReply | undefined;
  /** Whether it concerns the address of a copy. */
  readonly isOfCopy?: boolean | undefined;
  readonly tls?: TlsFault | undefined;
  readonly sizes?: { readonly mail: number; readonly allowed: number } | undefined;
  readonly tokenStatus?: string | undefined;
  readonly cause?: unknown;
}

/** The failure of a session or a mail. */
export class SmtpError extends Error {
  override readonly name = "SmtpError";
  readonly phase: SmtpPhase;
  readonly fault: SmtpErrorFault;
  /** The server's reply, without the password if it repeated it. */
  readonly reply: SmtpReply | undefined;
  /** Whether it concerns the address of a copy, and not the recipient's. */
  readonly isOfCopy: boolean;
  /** With `tls` and `certificate`. */
  readonly tls: TlsFault | undefined;
  /** The size of the mail and the server's limit, in bytes, with `too_large`. */
  readonly sizes: { readonly mail: number; readonly allowed: number } | undefined;
  /** Why an access token was refused, if the server sent a challenge first: `invalid_token`, `401`. */
  readonly tokenStatus: string | undefined;

  constructor(
    reason: string,
    { phase, fault, reply, isOfCopy = false, tls, sizes, tokenStatus, cause }: SmtpErrorDetails,
  ) {
    super(reason, { cause });
    this.phase = phase;
    this.fault = fault;
    this.reply = reply;
    this.isOfCopy = isOfCopy;
    this.tls = tls;
    this.sizes = sizes;
    this.tokenStatus = tokenStatus;
  }

  /**
   * Returns whether the final dot may have been sent without a refusal: the server may have the mail (RFC
   * 1047).
   */
  get mayHaveSent(): boolean {
    return this.phase === "dot" && (this.reply === undefined || this.reply.code < 400);
  }
}
