/** How far a session had come: `dot` is after the final dot left, the others are before. */
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

/** Why a transaction failed. `reply` is the server's own word; the others are not. */
export type SmtpFault =
  | "reply"
  | "dns"
  | "refused"
  | "timeout"
  | "lost"
  | "tls"
  | "certificate"
  | "stalled"
  | "aborted"
  | "closed"
  | "gate"
  | "host"
  | "insecure_auth"
  | "bad_ca"
  | "no_auth"
  | "no_smtputf8"
  | "too_large";

/** A transaction that did not end with the server's acceptance. */
export class SmtpFailure extends Error {
  override readonly name = "SmtpFailure";
  readonly phase: SmtpPhase;
  readonly fault: SmtpFault;
  /** The reply: its code, its enhanced code (RFC 3463) and its full text. */
  readonly code?: number;
  readonly enhanced?: string;
  readonly response?: string;
  /** True if the server may have accepted the mail: the dot left and no answer came (RFC 1047). */
  readonly unknown: boolean;

  constructor(
    message: string,
    details: { phase: SmtpPhase; fault: SmtpFault; response?: string; cause?: unknown },
  ) {
    super(message, { cause: details.cause });
    this.phase = details.phase;
    this.fault = details.fault;
    const reply = parseReply(details.response ?? "");
    if (reply !== undefined) Object.assign(this, reply);
    this.unknown = this.phase === "dot" && (this.code === undefined || this.code < 400);
  }
}

/** Takes a reply apart: `250 2.0.0 OK`; undefined if it does not start with a code of 200 to 599. */
export function parseReply(
  response: string,
): { code: number; enhanced?: string; response: string } | undefined {
  const match = /^([2-5]\d\d)(?!\d)(?:[ -](\d\.\d{1,3}\.\d{1,3})(?!\S))?/.exec(response);
  if (match === null) return undefined;
  return {
    code: Number(match[1]),
    ...(match[2] === undefined ? {} : { enhanced: match[2] }),
    response,
  };
}
