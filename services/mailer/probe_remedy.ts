import type { ProbeSettings, ProbeStep } from "@posthaste/contracts";
import type { TlsFaultKind } from "@posthaste/smtp";
import type { SmtpFault } from "./smtp_failure.ts";

/** The known facts of a failed probe. */
export interface Mishap {
  step: ProbeStep["step"];
  fault: SmtpFault;
  /** Of the reply, where there was one. */
  code?: number | undefined;
  enhanced?: string | undefined;
  /** Why it is not encrypted. */
  tls?: TlsFaultKind | undefined;
}

/** What of the settings a remedy depends on. */
interface Where extends Pick<ProbeSettings, "host" | "port" | "tls"> {
  /** Whether the login is by an access token. */
  isByToken: boolean;
}

/** Returns a sentence with what a person can do about it. */
export function remedyFor(mishap: Mishap, where: Where): string {
  switch (mishap.step) {
    case "resolve":
      return mishap.fault === "host"
        ? "Use a server on the internet, with port 25, 465, 587 or 2525. For a server inside the " +
          "network, the operator must allow it (EGRESS_ALLOW, SMTP_PORTS)"
        : "Check the spelling of the host. If it is correct, its name servers may not respond " +
          "at the moment: try again in a minute";
    case "connect":
    case "greeting":
      return connectionRemedy(where);
    case "tls":
      return tlsRemedy(mishap, where);
    case "auth":
      return loginRemedy(mishap, where);
    case "sender":
      return senderRemedy(mishap);
  }
}

function connectionRemedy({ port, tls }: Pick<Where, "port" | "tls">): string {
  if (tls === "implicit" && port !== 465) {
    return `Port ${port} usually starts without TLS: choose STARTTLS, or port 465 with TLS`;
  }
  if (tls !== "implicit" && port === 465) {
    return "Port 465 expects TLS from the first byte: choose TLS, or port 587 with STARTTLS";
  }
  return "Compare host and port with your provider's page; 587 with STARTTLS and 465 with TLS are " +
    "usual. Port 25 is blocked in many networks, and some servers accept only known addresses";
}

function tlsRemedy({ fault, tls: kind }: Mishap, { port, tls }: Where): string {
  if (fault === "bad_ca") {
    return "Paste the authority's certificate as PEM, or leave the field empty";
  }
  if (fault !== "certificate") {
    return tls === "starttls"
      ? "The server offers no usable STARTTLS (TLS 1.2 or newer): try port 465 with TLS"
      : connectionRemedy({ port, tls });
  }
  switch (kind) {
    case "name":
      return "If it is the same server, enter one of the names in its certificate as host";
    case "expired":
    case "not_yet_valid":
      return "The operator of the server must renew its certificate";
    default:
      return "Paste the certificate of that authority (PEM) into this integration, or have the " +
        "server send the whole chain";
  }
}

function loginRemedy({ fault, code, enhanced }: Mishap, { host, isByToken }: Where): string {
  if (fault === "insecure_auth") {
    return "Choose STARTTLS or TLS: passwords are not sent in the clear";
  }
  if (fault === "no_auth") {
    return "Choose STARTTLS or TLS, or remove user and password if the server requires none";
  }
  if (code !== undefined && code < 500) {
    return "The server cannot check logins at the moment, or there were too many logins. Try again later";
  }
  if (isByToken) {
    return "Check host and port: it must be the server that the provider names for OAuth. Or choose a " +
      "login by password";
  }
  if (code === 504) return "The server requires another login method: choose PLAIN or LOGIN";
  if (/(^|\.)(gmail|googlemail|google)\.com$/i.test(host)) {
    return "Google does not accept the account password: turn on 2-step verification, create an app " +
      "password and enter its 16 letters; the user is the whole address";
  }
  if (/(^|\.)(office365|outlook|hotmail|microsoft)\.com$/i.test(host)) {
    return "Microsoft requires authenticated SMTP to be turned on for this mailbox, and an app " +
      "password with multi-factor authentication; the user is the whole address";
  }
  if (enhanced === "5.7.9" || code === 534) {
    return "The server requires an app password, not your own password";
  }
  if (/(^|\.)(sendgrid\.net)$/i.test(host)) {
    return 'The user is the word "apikey", and the password is the key itself';
  }
  if (/(^|\.)amazonaws\.com$/i.test(host)) {
    return "Amazon SES has its own SMTP credentials for each region: access keys do not work";
  }
  return "Check user and password. Many providers require the whole address as user, and an app " +
    "password or API key instead of your own password";
}

function senderRemedy({ fault, code = 0 }: Mishap): string {
  if (fault !== "reply") return "Try again. If it still fails, ask the operator of the server";
  if (code === 530) {
    return "The server requires authentication or encryption before it accepts mail";
  }
  if (code < 500) {
    return "The server does not accept mail from this address at the moment. Try again later";
  }
  return "Verify this address or its domain at your provider, or use an address that this login may use";
}
