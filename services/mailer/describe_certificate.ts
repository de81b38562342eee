import type { X509Certificate } from "node:crypto";

/** Maximum number of names of a certificate in a sentence: 6. */
const MAX_NAMES = 6;

/** Returns a sentence about a certificate: its names, its issuer, and its expiry. */
export function describeCertificate(certificate: X509Certificate): string {
  const until = certificate.validToDate.toISOString().slice(0, 10);
  return `Its certificate is for ${namesOf(certificate)}, was issued by ${issuerOf(certificate)} ` +
    `and is valid until ${until}`;
}

/** Returns the names in a certificate, as text. */
export function namesOf({ subjectAltName, subject }: X509Certificate): string {
  const names = (subjectAltName ?? "").split(", ").filter((name) => name !== "")
    .map((name) => printable(name.replace(/^(DNS|IP Address):/, "")));
  if (names.length === 0) return printable(fieldOf(subject, "CN") ?? "nobody");
  const more = names.length - MAX_NAMES;
  return names.slice(0, MAX_NAMES).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** Returns the issuer of a certificate, as text. */
export function issuerOf({ issuer, subject }: X509Certificate): string {
  if (issuer === subject) return "itself";
  return printable(fieldOf(issuer, "O") ?? fieldOf(issuer, "CN") ?? "an unnamed issuer");
}

function fieldOf(name: string | undefined, field: string): string | undefined {
  return name?.split("\n").find((line) => line.startsWith(`${field}=`))?.slice(field.length + 1);
}

/** The text of a certificate is its owner's choice, of any length. */
function printable(text: string): string {
  return text.replace(/[^\x20-\x7e\p{L}\p{N}]/gu, "?").slice(0, 100);
}
