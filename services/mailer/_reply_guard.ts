import type { Buffer } from "node:buffer";
import type SMTPConnection from "nodemailer/lib/smtp-connection";

/** What nodemailer's connection keeps of the replies that come; its types hide it. */
interface Receiver {
  _onData(chunk: Buffer): void;
  _responseQueue: string[];
  _remainder: string;
}

/** More than any reply has. */
const MOST_LINES = 1_000;

const lineFeed = 0x0a;

/**
 * Watches what a server says. nodemailer bounds a line and a reply, but queues empty lines without
 * end and drops them one a turn: a server that sends nothing else fills the memory.
 */
export class ReplyGuard {
  #receiver: Receiver;
  #lines = 0;

  constructor(connection: SMTPConnection, onFlood: () => void) {
    const receiver = connection as unknown as Receiver;
    const take = receiver._onData;
    this.#receiver = receiver;
    receiver._onData = (chunk) => {
      this.#lines += linesIn(chunk);
      if (this.#lines <= MOST_LINES) return take.call(receiver, chunk);
      receiver._responseQueue = [];
      onFlood();
    };
  }

  /** A reply was read: the count begins again. */
  heard(): void {
    this.#lines = 0;
  }

  /** Whether more was said than asked for: the next reply would answer the command before it. */
  get hasMore(): boolean {
    return this.#receiver._responseQueue.length > 0 || this.#receiver._remainder !== "";
  }
}

function linesIn(chunk: Buffer): number {
  let lines = 0;
  for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, at + 1)) lines++;
  return lines;
}
