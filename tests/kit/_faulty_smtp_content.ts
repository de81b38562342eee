import { Buffer } from "node:buffer";

const terminator = Buffer.from("\r\n.\r\n");
/** Terminators that some servers have accepted (CVE-2023-51764, 51765, 51766). */
const lenientTerminator = /(\r\n|\r|\n|\0)\.(?:\r\n|\r|\n|\0)/;
const lineStart = Buffer.from("\r\n");
const stuffed = Buffer.from("\r\n..");

/** Reads the content of one mail in chunks, up to its final dot. */
export class ContentReader {
  finished = false;
  /**
   * Length of the received content, without the final dot; the dot-stuffing is undone when it is finished.
   */
  bytes = 0;
  #chunks: Buffer[] = [];
  /** The last bytes before this chunk; the content starts at the start of a line. */
  #tail: Buffer = lineStart;
  #raw: Buffer | undefined;
  #lenient: boolean;

  constructor(options: { lenient?: boolean } = {}) {
    this.#lenient = options.lenient ?? false;
  }

  /** Reads a chunk of the content. Returns the bytes after the final dot, if that has come. */
  take(chunk: Buffer): Buffer | undefined {
    const joined = Buffer.concat([this.#tail, chunk]);
    const { at, lineEnd, length } = this.#findEnd(joined);
    if (at === -1) {
      this.#chunks.push(chunk);
      this.bytes += chunk.length;
      this.#tail = joined.subarray(-(terminator.length - 1));
      return undefined;
    }
    // The line end before the dot belongs to the content.
    const end = at + lineEnd - this.#tail.length;
    if (end >= 0) this.#chunks.push(chunk.subarray(0, end));
    const all = Buffer.concat(this.#chunks);
    this.#raw = unstuffed(end >= 0 ? all : all.subarray(0, all.length + end));
    this.#chunks = [];
    this.bytes = this.#raw.length;
    this.finished = true;
    return joined.subarray(at + length);
  }

  #findEnd(joined: Buffer): { at: number; lineEnd: number; length: number } {
    if (!this.#lenient) {
      const at = joined.indexOf(terminator);
      return { at, lineEnd: lineStart.length, length: terminator.length };
    }
    const found = lenientTerminator.exec(joined.toString("latin1"));
    const [all = "", lineEnd = ""] = found ?? [];
    return { at: found?.index ?? -1, lineEnd: lineEnd.length, length: all.length };
  }

  /** Returns the whole content. @throws {Error} If it is not finished. */
  raw(): Buffer {
    if (this.#raw === undefined) throw new Error("Cannot give a mail: its final dot did not come");
    return this.#raw;
  }

  get messageId(): string | null {
    const start = (this.#raw ?? this.#chunks[0] ?? lineStart).subarray(0, 16_384).toString(
      "latin1",
    );
    const head = start.split("\r\n\r\n", 1)[0] ?? "";
    return /^message-id:\s*(<[^<>\r\n]*>)/im.exec(head)?.[1] ?? null;
  }

  get violations(): string[] {
    const raw = this.raw();
    for (let at = raw.indexOf(0x0a); at !== -1; at = raw.indexOf(0x0a, at + 1)) {
      if (raw[at - 1] !== 0x0d) return ["bare line feed in a content"];
    }
    for (let at = raw.indexOf(0x0d); at !== -1; at = raw.indexOf(0x0d, at + 1)) {
      if (raw[at + 1] !== 0x0a) return ["bare carriage return in a content"];
    }
    return [];
  }
}

function unstuffed(content: Buffer): Buffer {
  const pieces: Buffer[] = [];
  let start = content[0] === 0x2e ? 1 : 0;
  for (let at = content.indexOf(stuffed); at !== -1; at = content.indexOf(stuffed, at + 3)) {
    pieces.push(content.subarray(start, at + 3));
    start = at + 4;
  }
  if (pieces.length === 0) return start === 0 ? content : content.subarray(start);
  return Buffer.concat([...pieces, content.subarray(start)]);
}
