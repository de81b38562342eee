import { isIP } from "node:net";
import { domainToASCII } from "node:url";

/** An address as SMTP and the headers carry it. */
export interface WireAddress {
  /** `local@domain`, the domain in ASCII (RFC 5891 A-labels). */
  readonly address: string;
  /** Whether the part before the `@` is not ASCII: the server must offer SMTPUTF8 (RFC 6531). */
  readonly needsSmtpUtf8: boolean;
}

const localPart = /^[^\p{Cc}\p{Z}"(),:;<>@[\\\]]{1,64}$/u;
const asciiDomain = /^(?!-)[a-z0-9-]{1,63}(?<!-)(\.(?!-)[a-z0-9-]{1,63}(?<!-))*$/i;
// Only characters of domain names: domainToASCII() would drop line breaks and decode "%2e".
const international = /^[\p{L}\p{M}\p{N}\p{So}.\u3002\uff0e\uff61\u00b7\u200c\u200d-]+$/u;
const notAscii = /[^\p{ASCII}]/u;

/**
 * Turns one email address into its form on the wire.
 *
 * It accepts one plain address only, without quotes, comments, routes, groups or lists: through those a mail
 * can reach a wrong recipient (GHSA-mm7p-fcc7-pg87).
 *
 * @throws {RangeError} If it is not exactly one such address of at most 254 bytes.
 */
export function toWireAddress(email: string): WireAddress {
  const at = email.lastIndexOf("@");
  const local = email.slice(0, Math.max(at, 0));
  const given = email.slice(at + 1);
  // An ASCII domain stays as it is: domainToASCII() would read "0x7f.1" as 127.0.0.1.
  const domain = international.test(given) && notAscii.test(given) ? domainToASCII(given) : given;
  const address = `${local}@${domain}`;
  if (
    !localPart.test(local) || /=\?.*\?=/.test(local) || !asciiDomain.test(domain) ||
    (domain !== given && isIP(domain)) ||
    Buffer.byteLength(address) > 254
  ) {
    throw new RangeError(`Cannot use ${JSON.stringify(email)}: it is not one email address`);
  }
  return { address, needsSmtpUtf8: notAscii.test(local) };
}
