import { Buffer } from "node:buffer";

const DOT = 0x2e;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const ONE_DOT = Buffer.from(".");

/**
 * Prepares the content of a mail for the wire: doubles each dot at the start of a line (RFC 5321, section
 * 4.5.2). If a dot follows a line end other than CRLF, all such line ends become CRLF, so that no server can
 * see the end of the mail elsewhere. Returns the same buffer if there is nothing to change.
 */
export function stuffDots(raw: Buffer): Buffer {
  const last = raw.at(-1);
  const endsBare = last === CARRIAGE_RETURN ||
    (last === LINE_FEED && raw.at(-2) !== CARRIAGE_RETURN);
  if (endsBare || raw.includes("\r.")) return stuffDots(withLineEnds(raw));
  // A native search costs almost nothing compared with a loop over the bytes.
  let at = raw.indexOf("\n.");
  if (at === -1 && raw[0] !== DOT) return raw;
  const pieces: Buffer[] = raw[0] === DOT ? [ONE_DOT] : [];
  let start = 0;
  for (; at !== -1; at = raw.indexOf("\n.", at + 2)) {
    if (raw[at - 1] !== CARRIAGE_RETURN) return stuffDots(withLineEnds(raw));
    pieces.push(raw.subarray(start, at + 1), ONE_DOT);
    start = at + 1;
  }
  pieces.push(raw.subarray(start));
  return Buffer.concat(pieces);
}

/** Returns the bytes that end a mail after its content. */
export function finalDot(content: Buffer): string {
  return content.length === 0 || content.at(-1) === LINE_FEED ? ".\r\n" : "\r\n.\r\n";
}

function withLineEnds(raw: Buffer): Buffer {
  return Buffer.from(raw.toString("latin1").replace(/\r\n|\r|\n/g, "\r\n"), "latin1");
}
