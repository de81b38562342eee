import type { OauthLogin, OauthProvider } from "@posthaste/contracts";
import { SmtpError } from "@posthaste/smtp";
import { isEncryptionRequired } from "../encryption_required.ts";

/** What is known of a login by an access token that an SMTP server refused. */
export interface RefusedLogin {
  /** Issued the token. */
  provider: OauthProvider;
  kind: OauthLogin["kind"];
  /** Enhanced code of the reply (RFC 3463). */
  enhanced?: string | undefined;
  /** From the challenge before the reply. */
  tokenStatus?: string | undefined;
}

/** Replies to a command that a server does not know, or not now. They do not concern a token. */
const OF_COMMANDS: ReadonlySet<number> = new Set([500, 501, 502, 503, 504]);

/** Returns whether a server refused an access token for good, so that another token may help. */
export function isRefusedToken(error: unknown): boolean {
  if (!(error instanceof SmtpError) || error.phase !== "auth") return false;
  const { reply, tokenStatus } = error;
  if (reply === undefined || reply.code < 500) return false;
  if (isEncryptionRequired(reply)) return false;
  if (tokenStatus !== undefined) return true;
  return !OF_COMMANDS.has(reply.code) || reply.enhanced?.startsWith("5.7.") === true;
}

/** Returns a sentence with what a person can do about a refused token. */
export function remedyOfRefusedToken(
  { provider, kind, enhanced, tokenStatus }: RefusedLogin,
): string {
  if (tokenStatus === "insufficient_scope") {
    return "The token lacks the permission to send mail: grant it at the provider, then connect again";
  }
  if (provider === "google") {
    return kind === "googleServiceAccount"
      ? "The user must be the whole address of a mailbox with Gmail, and domain-wide delegation must " +
        "include the scope https://mail.google.com/"
      : "The user must be the whole address of the account that consented, with the permission for mail";
  }
  if (enhanced === "5.7.139") {
    return "Authenticated SMTP is turned off for this mailbox or the whole tenant: in the Microsoft 365 " +
      "admin center open the user, Mail, Manage email apps, and tick Authenticated SMTP (or " +
      "Set-CASMailbox -SmtpClientAuthenticationDisabled $false). Security defaults turn it off, too";
  }
  return kind === "oauthClientCredentials"
    ? "The user must be the address of the mailbox. The application needs the application permission " +
      "SMTP.SendAsApp with an administrator's consent, and access to the mailbox in Exchange Online " +
      "(New-ServicePrincipal, Add-MailboxPermission)"
    : "The user must be the address of the mailbox that consented, or one that it may send as, and the " +
      "consent must include SMTP.Send";
}
