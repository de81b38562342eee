import { parseReply, type SmtpError, type SmtpErrorFault, type SmtpPhase } from "@posthaste/smtp";
import { describeTlsFault } from "./describe_tls_fault.ts";

export type { SmtpPhase };

/** Why a transaction failed. `reply` is the server's own word; the others are not. */
export type SmtpFault =
  | Exclude<SmtpErrorFault, "held">
  | "dns"
  | "closed"
  | "gate"
  | "host"
  | "insecure_auth"
  | "bad_ca";

/** A transaction that did not end with the server's acceptance. */
export class SmtpFailure extends Error {
  override readonly name = "SmtpFailure";
  readonly phase: SmtpPhase;
  readonly fault: SmtpFault;
  /** The reply: its code, its enhanced code (RFC 3463) and its full text. */
  readonly code?: number;
  readonly enhanced?: string;
  readonly response?: string;
  /** A sentence for the sender, where there is more to say than the fault. */
  readonly detail?: string;
  /** True if the server may have accepted the mail: the dot left and no answer came (RFC 1047). */
  readonly unknown: boolean;

  constructor(
    message: string,
    details: {
      phase: SmtpPhase;
      fault: SmtpFault;
      response?: string | undefined;
      detail?: string | undefined;
      cause?: unknown;
    },
  ) {
    super(message, { cause: details.cause });
    this.phase = details.phase;
    this.fault = details.fault;
    if (details.detail !== undefined) this.detail = details.detail;
    const reply = parseReply(details.response ?? "");
    if (reply !== undefined) {
      const { code, enhanced, text: response } = reply;
      Object.assign(this, { code, response, ...(enhanced === undefined ? {} : { enhanced }) });
    }
    this.unknown = this.phase === "dot" && (this.code === undefined || this.code < 400);
  }
}

/** Turns what happened in a conversation with a server into a failure of the mail. */
export function failureOf(error: SmtpError, { host }: { host: string }): SmtpFailure {
  const { phase, fault, reply } = error;
  return new SmtpFailure(`Cannot send through "${host}": ${error.message}`, {
    phase,
    fault: fault === "held" ? "gate" : fault,
    response: reply?.text,
    detail: detailOf(error, host),
    cause: error,
  });
}

function detailOf({ fault, tls, sizes }: SmtpError, host: string): string | undefined {
  if (fault === "too_large" && sizes !== undefined) {
    const [mail, allowed] = [sizes.mail, sizes.allowed].map((bytes) => bytes.toLocaleString("en"));
    return `The mail has ${mail} bytes, and the SMTP server takes at most ${allowed}`;
  }
  return tls === undefined || fault === "reply" ? undefined : describeTlsFault(tls, host);
}
