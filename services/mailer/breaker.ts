import type { SmtpFailure } from "./smtp_failure.ts";

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
  return phase === "connect" || phase === "greeting" || phase === "ehlo" || phase === "tls";
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
  return phase === "auth" || phase === "connect" || phase === "greeting" || phase === "ehlo" ||
    phase === "tls";
}
