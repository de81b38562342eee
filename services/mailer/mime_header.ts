/** A header line is at most 78 characters where it can be folded (RFC 5322, 2.1.1). */
const lineLength = 76;
const notPrintable = /[^\x20-\x7e]/;
// deno-lint-ignore no-control-regex -- these are what must not get into a header
const control = /[\x00-\x1f\x7f\x80-\x9f\u2028\u2029]+/g;

/**
 * Makes a value safe for a header: control characters, and line breaks with them, become one space,
 * and half a surrogate pair becomes U+FFFD.
 */
export function cleanHeaderValue(value: string): string {
  return value.replace(control, " ").toWellFormed().trim();
}

/** Writes free text such as a subject as one folded header, with its line end (RFC 2047). */
export function textHeader(name: string, text: string): string {
  const value = cleanHeaderValue(text);
  if (name.length + 2 + value.length <= lineLength && isPlain(value)) {
    return `${name}: ${value}\r\n`;
  }
  const folded = isPlain(value) ? foldWords(value, name.length + 2) : undefined;
  return `${name}: ${folded ?? encodedWords(value, name.length + 2)}\r\n`;
}

/** Writes one address with its display name as one folded header, with its line end. */
export function addressHeader(
  name: string,
  address: { readonly name?: string | undefined; readonly email: string },
): string {
  const displayName = cleanHeaderValue(address.name ?? "");
  if (displayName === "") return `${name}: ${address.email}\r\n`;
  const phrase = phraseOf(displayName, name.length + 2);
  const lastLine = phrase.length - phrase.lastIndexOf("\n") - 1;
  const lead = phrase.includes("\n") ? 0 : name.length + 2;
  const fits = lead + lastLine + address.email.length + 3 <= lineLength;
  return `${name}: ${phrase}${fits ? " " : "\r\n "}<${address.email}>\r\n`;
}

/** Writes addresses with their display names as one folded header, with its line end. */
export function addressListHeader(
  name: string,
  addresses: readonly { readonly name?: string | undefined; readonly email: string }[],
): string {
  const lead = name.length + 2;
  const mailboxes = addresses.map((address, at) =>
    // On a line of its own each but the first.
    addressHeader(at === 0 ? name : "", address).slice(at === 0 ? lead : 2, -2)
  );
  return `${name}: ${mailboxes.join(",\r\n ")}\r\n`;
}

/**
 * Writes a value with a syntax of its own as one header, folded at blanks alone, with its line end. What is
 * not ASCII, or would be read as an encoded word, is free text.
 */
export function structuredHeader(name: string, value: string): string {
  // Many blanks cannot be folded, and some servers cut a line that is too long: then a header begins there.
  const clean = cleanHeaderValue(value).replace(/ {70,}/g, " ");
  if (notPrintable.test(clean) || clean.includes("=?")) return textHeader(name, clean);
  let lines = `${name}:`;
  let length = lines.length;
  for (const [word] of ` ${clean}`.matchAll(/ +[^ ]+/g)) {
    // A header must not begin with an empty first line.
    const breaks = length > name.length + 1 && length + word.length > lineLength;
    lines += breaks ? `\r\n${word}` : word;
    length = breaks ? word.length : length + word.length;
  }
  return `${lines}\r\n`;
}

/**
 * Writes the file name parameters of an attachment, each starting with a folded `;`.
 *
 * `filename` of Content-Disposition follows RFC 2231, which every current client reads. `name` of
 * Content-Type is the older place, where Outlook and similar clients expect encoded words.
 */
export function fileNameParameters(fileName: string): { name: string; filename: string } {
  // Programs decode text that looks like an encoded word, even after decoding it by RFC 2231.
  const value = cleanHeaderValue(fileName).replaceAll("=?", "=_");
  // A quoted pair is legal, but clients disagree about it, so such names are encoded as well.
  if (isPlain(value) && value.length <= 60 && !/["\\]/.test(value)) {
    return { name: `;\r\n name="${value}"`, filename: `;\r\n filename="${value}"` };
  }
  return { name: `;\r\n name="${encodedWords(value, 7)}"`, filename: extendedFileName(value) };
}

function isPlain(value: string): boolean {
  return !notPrintable.test(value) && !value.includes("=?") && !value.includes("  ");
}

/** Breaks at spaces; undefined if a word is too long for a line. */
function foldWords(value: string, lead: number): string | undefined {
  const lines: string[] = [];
  let line: string | undefined;
  let room = lineLength - lead;
  for (const word of value.split(" ")) {
    const longer: string = line === undefined ? word : `${line} ${word}`;
    if (longer.length <= room) {
      line = longer;
      continue;
    }
    if (line === undefined || word.length >= lineLength) return undefined;
    lines.push(line);
    line = word;
    room = lineLength - 1;
  }
  return [...lines, line].join("\r\n ");
}

function phraseOf(name: string, lead: number): string {
  if (!isPlain(name) || name.length > 60) return encodedWords(name, lead);
  if (/^[\w!#$%&'*+\-/=?^`{|}~ ]+$/.test(name)) return name;
  return `"${name.replace(/["\\]/g, "\\$&")}"`;
}

/** Base64 encoded words of at most 75 characters, each with whole characters (RFC 2047, 2 and 5). */
function encodedWords(value: string, lead: number): string {
  const words: string[] = [];
  for (const piece of pieces(value, Math.min(45, encodedBytes(lineLength - lead)), 45)) {
    words.push(`=?UTF-8?B?${Buffer.from(piece).toString("base64")}?=`);
  }
  return words.join("\r\n ");
}

function encodedBytes(characters: number): number {
  return Math.floor((characters - 12) / 4) * 3;
}

/** Cuts text between code points, into a first piece of some bytes and others of at most `bytes`. */
function* pieces(value: string, firstBytes: number, bytes: number): Generator<string> {
  let piece = "";
  let used = 0;
  let limit = firstBytes;
  for (const character of value) {
    const size = Buffer.byteLength(character);
    if (used + size > limit && piece !== "") {
      yield piece;
      piece = "";
      used = 0;
      limit = bytes;
    }
    piece += character;
    used += size;
  }
  yield piece;
}

function extendedFileName(value: string): string {
  const encoded = [...value].map(percentEncode);
  if (encoded.join("").length <= 55) return `;\r\n filename*=UTF-8''${encoded.join("")}`;
  let section = "UTF-8''";
  const sections: string[] = [];
  for (const character of encoded) {
    if (section.length + character.length > 60) {
      sections.push(section);
      section = "";
    }
    section += character;
  }
  sections.push(section);
  return sections.map((part, index) => `;\r\n filename*${index}*=${part}`).join("");
}

function percentEncode(character: string): string {
  return encodeURIComponent(character).replace(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
