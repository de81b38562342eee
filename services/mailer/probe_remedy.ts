import type { ProbeSettings, ProbeStep } from "@posthaste/contracts";
import type { TlsFaultKind } from "@posthaste/smtp";
import type { SmtpFault } from "./smtp_failure.ts";

/** What went wrong in a probe, as far as it is known. */
export interface Mishap {
  step: ProbeStep["step"];
  fault: SmtpFault;
  /** Of the reply, where there was one. */
  code?: number | undefined;
  enhanced?: string | undefined;
  /** Why it is not encrypted. */
  tls?: TlsFaultKind | undefined;
}

type Where = Pick<ProbeSettings, "host" | "port" | "tls">;

/** Says what a person can do about it, as a sentence. */
export function remedyFor(mishap: Mishap, where: Where): string {
  switch (mishap.step) {
    case "resolve":
      return mishap.fault === "host"
        ? "Name a server on the internet, with port 25, 465, 587 or 2525; for one inside of the " +
          "network the operator has to allow it (EGRESS_ALLOW, SMTP_PORTS)"
        : "Look for a typing error in the host. If it is right, its name servers may not answer " +
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

function connectionRemedy({ port, tls }: Where): string {
  if (tls === "implicit" && port !== 465) {
    return `Port ${port} mostly begins without TLS: choose STARTTLS, or port 465 with TLS`;
  }
  if (tls !== "implicit" && port === 465) {
    return "Port 465 expects TLS from the first byte: choose TLS, or port 587 with STARTTLS";
  }
  return "Compare host and port with your provider's page; 587 with STARTTLS and 465 with TLS are " +
    "usual. Port 25 is blocked in many networks, and some servers let only known addresses in";
}

function tlsRemedy({ fault, tls: kind }: Mishap, { port, tls }: Where): string {
  if (fault === "bad_ca") {
    return "Paste the authority's certificate as PEM, or leave the field empty";
  }
  if (fault !== "certificate") {
    return tls === "starttls"
      ? "The server offers no STARTTLS that we can use (TLS 1.2 or newer): try port 465 with TLS"
      : connectionRemedy({ host: "", port, tls });
  }
  switch (kind) {
    case "name":
      return "Enter one of the names in the certificate as host, if it is the same server";
    case "expired":
    case "not_yet_valid":
      return "The operator of the server has to renew its certificate";
    default:
      return "Paste the certificate of that authority (PEM) into this integration, or have the " +
        "server send the whole chain";
  }
}

function loginRemedy({ fault, code, enhanced }: Mishap, { host }: Where): string {
  if (fault === "insecure_auth") {
    return "Choose STARTTLS or TLS: passwords are not sent in the clear";
  }
  if (fault === "no_auth") {
    return "Choose STARTTLS or TLS, or leave user and password out if the server wants none";
  }
  if (code !== undefined && code < 500) {
    return "The server cannot check logins at the moment, or has seen too many: try again later";
  }
  if (code === 504) return "The server knows another login method: choose PLAIN or LOGIN";
  if (code === 538) return "The server wants encryption first: choose STARTTLS or TLS";
  if (/(^|\.)(gmail|googlemail|google)\.com$/i.test(host)) {
    return "Google takes no account password here: turn on 2-step verification, make an app " +
      "password and enter its 16 letters; the user is the whole address";
  }
  if (/(^|\.)(office365|outlook|hotmail|microsoft)\.com$/i.test(host)) {
    return "Microsoft wants authenticated SMTP to be turned on for this mailbox, and an app " +
      "password where there is multi-factor authentication; the user is the whole address";
  }
  if (enhanced === "5.7.9" || code === 534) {
    return "The server wants a password made for this application (app password), not your own";
  }
  if (/(^|\.)(sendgrid\.net)$/i.test(host)) {
    return 'The user is the word "apikey", and the password is the key itself';
  }
  if (/(^|\.)amazonaws\.com$/i.test(host)) {
    return "Amazon SES has SMTP credentials of its own, for each region: access keys do not work";
  }
  return "Check user and password. Many providers want the whole address as user, and an app " +
    "password or API key in place of your own password";
}

function senderRemedy({ fault, code = 0 }: Mishap): string {
  if (fault !== "reply") return "Try again; if it stays so, ask whoever runs the server";
  if (code === 530) return "The server requires authentication or encryption before it takes mail";
  if (code < 500) return "The server takes no mail from this address for now: try again later";
  return "Verify this address or its domain at your provider, or name one that this login may use";
}
