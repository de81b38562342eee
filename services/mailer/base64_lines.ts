/** RFC 2045, 6.8: the most characters of a line. */
const LINE_LENGTH = 76;
const [CR, LF] = [13, 10];

/**
 * Encodes a file once for many messages: base64 in lines of 76 characters, with CRLF at the end.
 * Pass the result to `composeMime()` as `content: { base64 }`.
 */
export function encodeAttachment(file: Uint8Array): Buffer {
  const base64 = base64OfBytes(file);
  const lines = Buffer.allocUnsafe(lengthInLines(base64));
  writeLines(base64, { target: lines, at: 0 });
  return lines;
}

/** Returns the base64 of bytes, in one line. */
export function base64OfBytes(bytes: Uint8Array): string {
  return bufferOf(bytes).toString("base64");
}

/**
 * Returns the base64 of a text, in one line. Bytes are in UTF-8. Inside a text part, lines end with CRLF also
 * before base64 (RFC 2046, 4.1.1).
 */
export function base64OfText(text: string | Uint8Array): string {
  const bytes = typeof text === "string" ? Buffer.from(text) : bufferOf(text);
  // In UTF-8 no byte of a longer character is a line break. A Buffer between the texts would be memory outside
  // V8's heap, after each 64 MB of which V8 marks the whole heap.
  return btoa(bytes.toString("latin1").replace(/\r\n?|\n/g, "\r\n"));
}

/** Returns the number of bytes that {@linkcode writeLines} writes. */
export function lengthInLines(base64: string): number {
  return base64.length + breaksIn(base64);
}

/** Writes base64 in lines, each with CRLF at its end. Returns the position after them. */
export function writeLines(
  base64: string,
  { target, at }: { target: Buffer; at: number },
): number {
  const stop = at + lengthInLines(base64);
  let start = at + breaksIn(base64);
  // Writes it at the end of its place, then moves each line forward: no second buffer is needed.
  target.write(base64, start, "latin1");
  let next = at;
  for (; start < stop; start += LINE_LENGTH) {
    const end = Math.min(start + LINE_LENGTH, stop);
    target.copyWithin(next, start, end);
    next += end - start;
    target[next++] = CR;
    target[next++] = LF;
  }
  return next;
}

/** Returns the number of bytes of all line breaks. */
function breaksIn({ length }: string): number {
  return 2 * Math.ceil(length / LINE_LENGTH);
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
