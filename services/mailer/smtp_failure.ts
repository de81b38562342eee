import { parseReply, type SmtpError, type SmtpErrorFault, type SmtpPhase } from "@posthaste/smtp";
import type { ErrorType } from "@posthaste/telemetry";
import { describeTlsFault } from "./describe_tls_fault.ts";
import {
  ENCRYPTION_REQUIRED,
  isEncryptionRequired,
  remedyOfEncryption,
} from "./encryption_required.ts";
import { OauthFailure } from "./oauth/oauth_failure.ts";
import { isRefusedToken, remedyOfRefusedToken } from "./oauth/refused_token.ts";
import { isByToken, type SmtpIntegration, type TokenAuth } from "./smtp_integration.ts";

export type { SmtpPhase };

/** Why a transaction failed. `reply` is a reply of the server; the others are not. */
export type SmtpFault =
  | SmtpErrorFault
  | "dns"
  | "host"
  | "insecure_auth"
  | "bad_ca"
  | "no_token"
  | "token_refused";

/** The error type of each fault in metrics and spans; for a reply it follows from its code. */
const ERROR_TYPE: Readonly<Record<SmtpFault, ErrorType | undefined>> = {
  reply: undefined,
  refused: "unavailable",
  timeout: "timeout",
  stalled: "timeout",
  lost: "unavailable",
  out_of_order: "unavailable",
  tls: "tls",
  certificate: "tls",
  no_auth: "smtp_auth",
  no_smtputf8: "invalid_input",
  too_large: "too_large",
  aborted: "canceled",
  // The phase of the error that caused it.
  held: undefined,
  dns: "dns",
  host: "forbidden",
  insecure_auth: "invalid_input",
  bad_ca: "invalid_input",
  no_token: "unavailable",
  token_refused: "smtp_auth",
};

/** A transaction that did not end with the server's acceptance. */
export class SmtpFailure extends Error {
  override readonly name = "SmtpFailure";
  readonly phase: SmtpPhase;
  readonly fault: SmtpFault;
  /** The reply: its code, its enhanced code (RFC 3463) and its full text. */
  readonly code?: number;
  readonly enhanced?: string;
  readonly response?: string;
  /** For metrics and spans: `errorType` of `libs/telemetry` reads it. */
  readonly errorType: ErrorType | undefined;
  /** A sentence for the sender, if there is more to say than the fault. */
  readonly detail?: string;
  /** A sentence about what a person can do, if the detail is about a login. */
  readonly remedy?: string;
  /** Whether the server may have accepted the mail: the dot was sent and no reply came (RFC 1047). */
  readonly unknown: boolean;

  constructor(
    message: string,
    details: {
      phase: SmtpPhase;
      fault: SmtpFault;
      response?: string | undefined;
      detail?: string | undefined;
      remedy?: string | undefined;
      cause?: unknown;
    },
  ) {
    super(message, { cause: details.cause });
    this.phase = details.phase;
    this.fault = details.fault;
    if (details.detail !== undefined) this.detail = details.detail;
    if (details.remedy !== undefined) this.remedy = details.remedy;
    const reply = parseReply(details.response ?? "");
    if (reply !== undefined) {
      const { code, enhanced, text: response } = reply;
      Object.assign(this, { code, response, ...(enhanced === undefined ? {} : { enhanced }) });
    }
    this.errorType = ERROR_TYPE[details.fault] ?? typeOfReply(this);
    this.unknown = this.phase === "dot" && (this.code === undefined || this.code < 400);
  }
}

/** Translates an error of the conversation with a server to a failure of the mail. */
export function failureOf(
  error: SmtpError,
  { host, auth, tls }: Pick<SmtpIntegration, "host" | "auth" | "tls">,
): SmtpFailure {
  const { phase, fault, reply } = error;
  const message = `Cannot send through "${host}": ${error.message}`;
  if (phase === "auth" && reply !== undefined && isEncryptionRequired(reply)) {
    return new SmtpFailure(message, {
      ...{ phase, fault: "reply", response: reply.text, cause: error },
      ...{ detail: ENCRYPTION_REQUIRED, remedy: remedyOfEncryption({ tls }) },
    });
  }
  if (isByToken(auth)) {
    const failure = failureOfToken(error, host, auth);
    if (failure !== undefined) return failure;
  }
  return new SmtpFailure(message, {
    phase,
    fault,
    response: reply?.text,
    detail: detailOf(error, host),
    cause: error,
  });
}

/** Returns the failure of a login by an access token, if that is what failed. */
function failureOfToken(
  error: SmtpError,
  host: string,
  { kind, provider }: TokenAuth,
): SmtpFailure | undefined {
  const { phase, fault, reply, tokenStatus } = error;
  const message = `Cannot send through "${host}": ${error.message}`;
  if (fault === "no_auth") {
    const detail = "The SMTP server offers no login by access tokens (XOAUTH2 or OAUTHBEARER)";
    const remedy = "Choose a login by password, or the server that the provider names for OAuth";
    return new SmtpFailure(message, { phase, fault, detail, remedy, cause: error });
  }
  if (!isRefusedToken(error)) return undefined;
  return new SmtpFailure(message, {
    ...{ phase, fault: "token_refused", response: reply?.text, cause: error },
    detail: "The SMTP server refused the access token",
    remedy: remedyOfRefusedToken({ provider, kind, enhanced: reply?.enhanced, tokenStatus }),
  });
}

/** Translates an error before a connection: there is no access token. */
export function tokenFailureOf(error: unknown, { host }: { host: string }): SmtpFailure {
  const message = `Cannot send through "${host}": there is no access token`;
  const isKnown = error instanceof OauthFailure;
  return new SmtpFailure(message, {
    phase: "auth",
    fault: isKnown && error.isPermanent ? "token_refused" : "no_token",
    ...(isKnown ? { detail: error.message, remedy: error.remedy } : {}),
    cause: error,
  });
}

/** Returns whether a connection was not yet open, or the server had not yet said what it is. */
export function isGreeting(phase: SmtpFailure["phase"]): boolean {
  return phase === "connect" || phase === "greeting" || phase === "ehlo";
}

/** Returns whether we ended a transaction ourselves, before the server had the mail. */
export function isInterruption(
  { fault, unknown }: Pick<SmtpFailure, "fault" | "unknown">,
): boolean {
  return !unknown && (fault === "aborted" || fault === "held");
}

/**
 * Returns whether a server received the whole mail and never answered: the next mail would hold a connection
 * as long.
 */
export function isSilent({ phase, fault }: Pick<SmtpFailure, "phase" | "fault">): boolean {
  return phase === "dot" && (fault === "timeout" || fault === "stalled");
}

/**
 * Returns whether a server could not be reached at all, so that the next mail would probably fail, too. A
 * reply about a login or a mail is no failure of this kind. An interruption by this service is none, either.
 */
export function isUnreachable({ phase, fault }: Pick<SmtpFailure, "phase" | "fault">): boolean {
  if (isInterruption({ fault, unknown: false })) return false;
  // It was not tried: the integration is stopped, and its next host needs no pause.
  if (fault === "host" || fault === "bad_ca") return false;
  // The provider of its access tokens is a part of the way to it.
  if (fault === "no_token") return true;
  return isGreeting(phase) || phase === "tls";
}

/**
 * Returns whether a server was reached, and refused no login: what is known of its failures is over. An attempt that ended
 * earlier does not show it.
 */
export function isReached({ phase }: Pick<SmtpFailure, "phase">): boolean {
  return phase === "mail" || phase === "rcpt" || phase === "data" || phase === "body" ||
    phase === "dot";
}

/**
 * Returns whether a server was certainly not offered the mail: no connection, no encryption, or no login. Then
 * another server may send it.
 */
export function isUnoffered(
  { phase, fault, unknown }: Pick<SmtpFailure, "phase" | "fault" | "unknown">,
): boolean {
  if (unknown || isInterruption({ fault, unknown })) return false;
  return isGreeting(phase) || phase === "tls" || phase === "auth";
}

function detailOf(error: SmtpError, host: string): string | undefined {
  const { fault, tls, sizes, isOfCopy } = error;
  if (isOfCopy) return "The SMTP server did not accept an address in cc or bcc for now";
  if (fault === "too_large" && sizes !== undefined) {
    const [mail, allowed] = [sizes.mail, sizes.allowed].map((bytes) => bytes.toLocaleString("en"));
    return `The mail has ${mail} bytes, but the SMTP server accepts at most ${allowed}`;
  }
  return tls === undefined || fault === "reply" ? undefined : describeTlsFault(tls, host);
}

function typeOfReply({ phase, code }: Pick<SmtpFailure, "phase" | "code">): ErrorType | undefined {
  if (code === undefined) return undefined;
  if (phase === "auth" && code >= 500) return "smtp_auth";
  return code < 500 ? "smtp_4xx" : "smtp_5xx";
}
