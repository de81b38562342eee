import type { SmtpIntegration } from "./smtp_integration.ts";

/** What a server said to a login. */
interface LoginReply {
  code: number;
  enhanced?: string | undefined;
}

/** That a server requires encryption before a login, in words. */
export const ENCRYPTION_REQUIRED = "The SMTP server requires encryption before a login";

/** Encryption required for the requested mechanism (RFC 4954, section 6). */
const CODE = 538;
const ENHANCED = "5.7.11";

/** "Must issue a STARTTLS command first" (RFC 3207, section 4). For other commands it may mean a missing login. */
const STARTTLS_FIRST = { code: 530, enhanced: "5.7.0" };

/** Returns whether the reply to a login is about encryption, and neither about its password nor its token. */
export function isEncryptionRequired({ code, enhanced }: LoginReply): boolean {
  if (code === CODE || enhanced === ENHANCED) return true;
  return code === STARTTLS_FIRST.code && (enhanced ?? STARTTLS_FIRST.enhanced) ===
      STARTTLS_FIRST.enhanced;
}

/** Returns a sentence with what a person can do about it. */
export function remedyOfEncryption({ tls }: Pick<SmtpIntegration, "tls">): string {
  return tls === "none"
    ? "Choose STARTTLS or TLS"
    : "The connection is encrypted already, which the server does not see: ask its operator, or choose " +
      "another port";
}
