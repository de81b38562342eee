import { Buffer } from "node:buffer";

/** A server's answer to one command (RFC 5321, section 4.2). */
export interface SmtpReply {
  /** 200 to 599. */
  readonly code: number;
  /** The enhanced code (RFC 3463) of the first line, as `5.1.1`. */
  readonly enhanced?: string;
  /** The text of each line, without the code. */
  readonly lines: readonly string[];
  /** All lines as received, with their codes, joined by line feeds. */
  readonly text: string;
}

/** The fault of bytes that are no reply. */
export type ReplyFault =
  | "malformed"
  | "mixed_codes"
  | "line_too_long"
  | "too_many_lines"
  | "too_large";

/** Bytes of a server that are no reply, or too many for one. */
export class ReplyError extends Error {
  override readonly name = "ReplyError";
  readonly fault: ReplyFault;

  constructor(fault: ReplyFault, reason: string) {
    super(`Cannot read a reply: ${reason}`);
    this.fault = fault;
  }
}

/** RFC 5321, section 4.5.3.1.5 allows 512 bytes; servers send more. */
const MAX_LINE_BYTES = 8 * 1024;
const MAX_LINES = 1000;
const MAX_REPLY_BYTES = 64 * 1024;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const NOTHING = Buffer.alloc(0);

/** Three digits, and then nothing, or a space or hyphen before any text. */
const REPLY_LINE = /^([2-5]\d\d)(?:[ -]|$)/;
const ENHANCED = /^[245]\.\d{1,3}\.\d{1,3}(?!\S)/;

/**
 * Parses a server's bytes into replies, however they are cut. Accepts any text, also an empty one; a line may
 * end with only a line feed. All lines of a reply must have the same code.
 *
 * A reply has at most 1000 lines and 64 KiB, and a line 8 KiB.
 */
export class ReplyParser {
  #rest: Buffer = NOTHING;
  #lines: string[] = [];
  #bytes = 0;

  /** Returns whether a reply has begun and not ended. */
  get isInside(): boolean {
    return this.#rest.length > 0 || this.#lines.length > 0;
  }

  /**
   * Reads bytes, and calls `take` for each reply that they complete. If it returns `false`, the rest of the
   * bytes is dropped.
   *
   * @throws {ReplyError} After the replies before the fault were taken. Nothing can be read afterwards.
   */
  read(chunk: Buffer, take: (reply: SmtpReply) => boolean | void): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let start = 0;
    let end = bytes.indexOf(LINE_FEED, this.#rest.length);
    while (end !== -1) {
      const reply = this.#addLine(bytes, start, end);
      if (reply !== undefined && take(reply) === false) return this.#drop();
      start = end + 1;
      end = bytes.indexOf(LINE_FEED, start);
    }
    if (bytes.length - start > MAX_LINE_BYTES) throw tooLong();
    this.#rest = start === bytes.length ? NOTHING : bytes.subarray(start);
  }

  #drop(): void {
    this.#rest = NOTHING;
  }

  #addLine(bytes: Buffer, start: number, lineFeed: number): SmtpReply | undefined {
    if (lineFeed - start > MAX_LINE_BYTES) throw tooLong();
    const end = bytes[lineFeed - 1] === CARRIAGE_RETURN && lineFeed > start
      ? lineFeed - 1
      : lineFeed;
    const line = decoded(bytes, start, end);
    this.#bytes += lineFeed + 1 - start;
    const lines = this.#lines;
    if (!REPLY_LINE.test(line)) {
      throw new ReplyError("malformed", `${JSON.stringify(line.slice(0, 80))} has no code`);
    }
    const [first = line] = lines;
    if (!line.startsWith(first.slice(0, 3))) {
      throw new ReplyError("mixed_codes", "its lines have different codes");
    }
    if (lines.push(line) > MAX_LINES) {
      throw new ReplyError("too_many_lines", `it has more than ${MAX_LINES} lines`);
    }
    if (this.#bytes > MAX_REPLY_BYTES) {
      throw new ReplyError("too_large", `it has more than ${MAX_REPLY_BYTES} bytes`);
    }
    if (line[3] === "-") return undefined;
    this.#lines = [];
    this.#bytes = 0;
    return replyOf(lines);
  }
}

/** Reads the text of one whole reply. Returns `undefined` if it does not begin with a reply's code. */
export function parseReply(text: string): SmtpReply | undefined {
  return REPLY_LINE.test(text) ? replyOf(text.split(/\r?\n/)) : undefined;
}

function replyOf(lines: readonly string[]): SmtpReply {
  const [first = ""] = lines;
  const enhanced = ENHANCED.exec(first.slice(4))?.[0];
  return {
    code: Number(first.slice(0, 3)),
    ...(enhanced === undefined ? {} : { enhanced }),
    lines: lines.map((line) => line.slice(4)),
    text: lines.length === 1 ? first : lines.join("\n"),
  };
}

/** Decodes bytes. Replies have no charset (RFC 5321, section 4.2.1): bytes that are not UTF-8 are kept. */
function decoded(bytes: Buffer, start: number, end: number): string {
  const text = bytes.toString("utf8", start, end);
  return text.includes("\ufffd") ? bytes.toString("latin1", start, end) : text;
}

function tooLong(): ReplyError {
  return new ReplyError("line_too_long", `a line has more than ${MAX_LINE_BYTES} bytes`);
}
