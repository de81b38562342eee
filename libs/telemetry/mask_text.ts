import { hideSecrets } from "./known_secrets.ts";

const CREDENTIALS = /\/\/[^\s/@]{1,512}@/g;
const TOKEN = /\bph_[A-Za-z0-9_-]{12,}/g;
// The bounds keep the time linear in the length of the text.
const ADDRESS =
  /([^\s<>"'`(),:;=@[\]\\])[^\s<>"'`(),:;=@[\]\\]{0,127}@((?:[\p{L}\p{N}-]{1,63}\.){0,8}[\p{L}\p{N}-]{1,63})/gu;

/**
 * Removes personal and secret parts from free text, such as the message of an error. An email address keeps
 * its first letter and its domain (`j…@example.com`), a URL loses its user and password, an access token
 * keeps only its prefix, and known secrets of the process are removed (`rememberSecrets`).
 */
export function maskText(text: string): string {
  let masked = hideSecrets(text);
  if (masked.includes("@")) {
    masked = masked.replace(CREDENTIALS, "//[redacted]@").replace(ADDRESS, maskAddress);
  }
  return masked.includes("ph_") ? masked.replace(TOKEN, "ph_[redacted]") : masked;
}

function maskAddress(_match: string, first: string, domain: string): string {
  return `${first}…@${domain}`;
}
