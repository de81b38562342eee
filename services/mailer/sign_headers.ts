import { createSign, type KeyObject } from "node:crypto";

/** A key to sign mail with, its secret already opened. */
export interface DkimSigner {
  readonly domain: string;
  readonly selector: string;
  readonly privateKey: KeyObject;
}

/**
 * The headers that people see, and those that describe the body. A signature names each once more than a mail has it:
 * then it is invalid for a mail that got another one (RFC 6376, sections 5.4.2 and 8.15).
 */
const SEALED = [
  ...["from", "to", "cc", "reply-to", "subject", "date", "message-id"],
  ...["mime-version", "content-type"],
];

/** How to unsubscribe (RFC 8058, 4). Mailing lists add their own, so only those of the mail count. */
const SIGNED = ["list-unsubscribe", "list-unsubscribe-post"];

const LINE_LENGTH = 76;

/**
 * Returns the header `DKIM-Signature` of a mail, without its line end (RFC 6376, rsa-sha256, relaxed/relaxed).
 *
 * @param head The headers, with CRLF line ends, each byte a character.
 * @param bodyHash Base64 of the canonical body's SHA-256.
 * @throws {Error} If the key cannot sign.
 */
export function signHeaders(
  head: string,
  bodyHash: string,
  { domain, selector, privateKey }: DkimSigner,
): string {
  const fields = head.split(/\r\n(?![ \t])/);
  const signed = [...SEALED, ...SIGNED].flatMap((name) => fieldsOf(name, fields));
  const names = [...signed.map(nameOf), ...SEALED];
  const unsigned = fold([
    ...["DKIM-Signature: v=1;", "a=rsa-sha256;", "c=relaxed/relaxed;", `d=${domain};`],
    ...["q=dns/txt;", `s=${selector};`, `bh=${bodyHash};`, `h=${names[0]}`],
    ...names.slice(1).map((name) => `:${name}`),
    ...[";", "b="],
  ]);
  const signer = createSign("rsa-sha256");
  signer.update([...signed, unsigned].map(relaxed).join("\r\n"), "latin1");
  return unsigned + signatureOf(() => signer.sign(privateKey, "base64"));
}

/** Returns the headers of a name from the last to the first: a verifier takes them in this order. */
function fieldsOf(name: string, fields: readonly string[]): string[] {
  return fields.filter((field) => nameOf(field) === name).reverse();
}

function nameOf(field: string): string {
  return field.slice(0, field.indexOf(":")).trim().toLowerCase();
}

function relaxed(field: string): string {
  const value = field.slice(field.indexOf(":") + 1).replaceAll("\r\n", "");
  return `${nameOf(field)}:${value.replace(/[ \t]+/g, " ").replace(/^ | $/g, "")}`;
}

/** Joins parts into lines that are short enough. The value of the last one, `b=`, begins a line. */
function fold(parts: readonly string[]): string {
  let length = 0;
  return parts.map((part, at) => {
    const isTight = at === 0 || /^[:;]/.test(part);
    const breaks = part === "b=" || length + part.length + 1 > LINE_LENGTH;
    const text = breaks ? `\r\n ${part}` : isTight ? part : ` ${part}`;
    length = breaks ? part.length + 1 : length + text.length;
    return text;
  }).join("");
}

function signatureOf(sign: () => string): string {
  try {
    return sign().replace(/.{73}(?!$)/g, "$&\r\n ");
  } catch (cause) {
    throw new Error("Cannot sign the mail: its key cannot be used to sign", { cause });
  }
}
