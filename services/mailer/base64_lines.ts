/** RFC 2045, 6.8: the most characters of a line. */
const LINE_LENGTH = 76;
const [CR, LF] = [13, 10];

/**
 * Encodes a file once for many messages: base64 in lines of 76 characters, with CRLF at the end.
 * Pass the result to `composeMime()` as `content: { base64 }`.
 */
export function encodeAttachment(file: Uint8Array): Buffer {
  return base64Lines(bufferOf(file));
}

/**
 * Encodes a text, which is in UTF-8 if it is bytes. Inside a text part, lines end with CRLF also before base64
 * (RFC 2046, 4.1.1).
 */
export function encodeText(text: string | Uint8Array): Buffer {
  const bytes = typeof text === "string" ? Buffer.from(text) : bufferOf(text);
  // In UTF-8 no byte of a longer character is a line break.
  const lines = bytes.toString("latin1").replace(/\r\n?|\n/g, "\r\n");
  return base64Lines(Buffer.from(lines, "latin1"));
}

/** Returns base64 in lines, each with CRLF at its end. */
function base64Lines(bytes: Buffer): Buffer {
  const base64 = bytes.toString("base64");
  const breaks = 2 * Math.ceil(base64.length / LINE_LENGTH);
  const lines = Buffer.allocUnsafe(base64.length + breaks);
  // Writes the base64 at the end of the buffer, then moves each line forward: no second buffer is needed.
  lines.write(base64, breaks, "latin1");
  let next = 0;
  for (let start = breaks; start < lines.length; start += LINE_LENGTH) {
    const end = Math.min(start + LINE_LENGTH, lines.length);
    lines.copyWithin(next, start, end);
    next += end - start;
    lines[next++] = CR;
    lines[next++] = LF;
  }
  return lines;
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
