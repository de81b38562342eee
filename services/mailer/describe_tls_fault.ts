import type { X509Certificate } from "node:crypto";
import type { TlsFault } from "@posthaste/smtp";
import { issuerOf, namesOf } from "./describe_certificate.ts";

/**
 * Returns a sentence: why a connection to an SMTP server could not be encrypted, and how to repair it.
 *
 * @param host The name that the certificate should have.
 */
export function describeTlsFault({ kind, certificate, alert }: TlsFault, host: string): string {
  switch (kind) {
    case "authority":
      return describeAuthority(certificate);
    case "expired":
      return `The certificate of the SMTP server expired${
        certificate ? ` on ${dayOf(certificate.validToDate)}` : ""
      }. The operator of the server must renew it`;
    case "not_yet_valid":
      return `The certificate of the SMTP server is not valid yet${
        certificate ? `, but from ${dayOf(certificate.validFromDate)} on` : ""
      }`;
    case "name":
      return certificate
        ? `The certificate of the SMTP server is for ${namesOf(certificate)}, and not for ${host}`
        : `The certificate of the SMTP server is not for ${host}`;
    case "protocol":
      return alert === undefined
        ? "The SMTP server does not support TLS 1.2 or newer"
        : `The SMTP server refused TLS 1.2 and 1.3 with the alert "${alert}"`;
    case "not_tls":
      return "The SMTP server does not start with TLS on this port";
    case "not_offered":
      return "The SMTP server does not offer the encryption that the integration requires";
    case "other":
      return "The connection to the SMTP server could not be encrypted";
  }
}

function describeAuthority(certificate: X509Certificate | undefined): string {
  const what = "The certificate of the SMTP server is signed by";
  if (certificate === undefined) {
    return `${what} an untrusted authority: add the authority's certificate (PEM) to the integration`;
  }
  const issuer = issuerOf(certificate);
  return issuer === "itself"
    ? `${what} itself: add it (PEM) to the integration to trust it`
    : `${what} ${issuer}, which is not trusted: add the certificate of that authority (PEM) to the integration`;
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}
