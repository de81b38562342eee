import { z } from "zod";
import { faultParams } from "./issue_code.ts";
import { utf8Bytes } from "./_utf8_bytes.ts";

/** The longest address, in bytes of UTF-8 (RFC 5321, 4.5.3.1.3, less the angle brackets). */
export const MAX_ADDRESS_BYTES = 254;

const MAX_LOCAL_BYTES = 64;
// RFC 5322 atext; RFC 6531 also allows any character beyond ASCII. Quoted local parts, comments, groups and
// routes are refused: mailers disagree on them (GHSA-mm7p-fcc7-pg87).
const LOCAL_PATTERN =
  /^[\w!#$%&'*+/=?^`{|}~\u{a1}-\u{10ffff}-]+(?:\.[\w!#$%&'*+/=?^`{|}~\u{a1}-\u{10ffff}-]+)*$/u;
const LABEL_PATTERN = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?$/u;
// Blanks of every script, invisible characters (U+2800 too), private use, lone surrogates, and replacement
// characters.
const FORBIDDEN_PATTERN =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}\u{2800}\u{fff0}-\u{ffff}]/u;
/**
 * Returns why a text is not one plain email address, or `undefined` if it is one.
 *
 * Accepts exactly one `local@domain`: a dot-atom, an `@`, and a host name of at least two labels (RFC 5321,
 * RFC 6531 for characters beyond ASCII). Refuses quotes, comments, groups, routes, address literals, several
 * addresses, blanks, line breaks and invisible characters.
 */
export function addressFault(text: string): string | undefined {
  if (text === "") return "must not be empty";
  // A character has at least one byte: a text that is far too long is not searched.
  if (text.length <= MAX_ADDRESS_BYTES && FORBIDDEN_PATTERN.test(text)) {
    return "must not contain blanks, line breaks, control or invisible characters";
  }
  if (text.length > MAX_ADDRESS_BYTES || utf8Bytes(text) > MAX_ADDRESS_BYTES) {
    return `must not exceed ${MAX_ADDRESS_BYTES} bytes`;
  }
  const at = text.indexOf("@");
  if (at < 1 || at !== text.lastIndexOf("@")) return "must be one address in the form name@domain";
  const local = text.slice(0, at);
  const labels = text.slice(at + 1).split(".");
  if (utf8Bytes(local) > MAX_LOCAL_BYTES) {
    return `must not have more than ${MAX_LOCAL_BYTES} bytes before the "@"`;
  }
  // Also characters that a server may fold to these: a full-width "＜" or "＠" (RFC 8264, 5.2.3).
  if (!LOCAL_PATTERN.test(local) || !LOCAL_PATTERN.test(local.normalize("NFKC"))) {
    return "must not contain quotes, comments, groups or several addresses";
  }
  if (labels.length < 2 || !labels.every((label) => LABEL_PATTERN.test(label))) {
    return 'must have a valid domain after the "@"';
  }
  // Some mailers decode it into another address (RFC 2047 forbids both, 5).
  if (/=\?.*\?=/.test(local)) return "must not contain an encoded word";
  const domain = asciiDomain(text.slice(at + 1));
  if (domain === undefined) return 'must have a valid domain after the "@"';
  if (utf8Bytes(local) + 1 + domain.length > MAX_ADDRESS_BYTES) {
    return `must not exceed ${MAX_ADDRESS_BYTES} bytes`;
  }
  if (/^(?:\d+|0x[\da-f]*)$/i.test(domain.slice(domain.lastIndexOf(".") + 1))) {
    return "must have a host name, not an IP address, as domain";
  }
  return undefined;
}

/** Returns a domain in its wire format (RFC 5891); `undefined` if it has none. */
function asciiDomain(domain: string): string | undefined {
  if (!/\P{ASCII}/u.test(domain)) return domain;
  const { hostname = "" } = URL.parse(`http://${domain}`) ?? {};
  const labels = hostname.split(".");
  const isName = labels.length === domain.split(".").length &&
    labels.every((label) => /^(?!-)[a-z\d-]{1,63}(?<!-)$/.test(label));
  return isName ? hostname : undefined;
}

/** Schema of one email address. {@linkcode addressFault} decides. */
export const emailAddressSchema = z.string().check((context) => {
  const message = addressFault(context.value);
  if (message !== undefined) {
    const { params } = faultParams("bad_address", message);
    context.issues.push({ code: "custom", message, params, input: context.value });
  }
});

/** Returns an address in a form for comparison: only its domain is in lower case. */
export function normalizeAddress(address: string): string {
  const at = address.lastIndexOf("@");
  return address.slice(0, at) + address.slice(at).toLowerCase();
}

/** Masks the owner of an address, for logs: `jane@example.com` becomes `j…@example.com`. */
export function maskAddress(address: string): string {
  const at = address.lastIndexOf("@");
  return at < 1 ? "…" : `${[...address][0]}…${address.slice(at)}`;
}
