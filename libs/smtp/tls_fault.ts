import type { X509Certificate } from "node:crypto";

/**
 * The fault of an encryption:
 *
 * - `not_offered`: the server offers no STARTTLS, or withdraws its offer.
 * - `authority`: no trusted authority has signed the certificate.
 * - `expired`, `not_yet_valid`: by its dates.
 * - `name`: the certificate is for other names.
 * - `protocol`: the two have no version or cipher in common, or the server refused with an alert.
 * - `not_tls`: the answer is not TLS.
 */
export type TlsFaultKind =
  | "authority"
  | "expired"
  | "not_yet_valid"
  | "name"
  | "protocol"
  | "not_tls"
  | "not_offered"
  | "other";

/** Why a connection is not encrypted. */
export interface TlsFault {
  readonly kind: TlsFaultKind;
  /** The server's certificate, if it was received. */
  readonly certificate?: X509Certificate | undefined;
  /** The server's alert, in the words of RFC 8446, section 6: `protocol version`. */
  readonly alert?: string | undefined;
}

/** Returns the fault of a TLS error from Node; `undefined` for an error of the connection below it. */
export function tlsFaultOf(
  { code = "" }: { code?: string | undefined },
  certificate: X509Certificate | undefined,
): TlsFault | undefined {
  const kind = kindOf(code);
  if (kind === undefined) return undefined;
  const alert = /_ALERT_(.+)$/.exec(code)?.[1]?.toLowerCase().replaceAll("_", " ");
  return {
    kind,
    ...(certificate === undefined ? {} : { certificate }),
    ...(alert === undefined ? {} : { alert }),
  };
}

/** Returns whether a fault concerns the certificate, and not the encryption. */
export function isOfCertificate({ kind }: TlsFault): boolean {
  return ["authority", "expired", "not_yet_valid", "name"].includes(kind);
}

function kindOf(code: string): TlsFaultKind | undefined {
  if (/_ALERT_|UNSUPPORTED_PROTOCOL|NO_PROTOCOLS|VERSION_TOO_LOW|NO_SHARED/.test(code)) {
    return "protocol";
  }
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") return "name";
  if (code === "CERT_HAS_EXPIRED") return "expired";
  if (code === "CERT_NOT_YET_VALID") return "not_yet_valid";
  if (/SELF_SIGNED|UNABLE_TO_|^CERT_|^INVALID_/.test(code)) return "authority";
  if (/WRONG_VERSION_NUMBER|PACKET_LENGTH|HTTP_REQUEST/.test(code)) return "not_tls";
  return /^(ERR_SSL|ERR_TLS|EPROTO)/.test(code) ? "other" : undefined;
}
