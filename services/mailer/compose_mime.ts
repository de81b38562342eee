import { hash } from "node:crypto";
import { isAllowedHeader, isOneClick, type ListUnsubscribe } from "@posthaste/contracts";
import { base64OfBytes, base64OfText, lengthInLines, writeLines } from "./base64_lines.ts";
import {
  addressHeader,
  addressListHeader,
  fileNameParameters,
  structuredHeader,
  textHeader,
} from "./mime_header.ts";
import { toWireAddress, type WireAddress } from "./wire_address.ts";

/** Default limit of a message: 25 MB, the limit of most receivers. */
const defaultMaxBytes: number = 25 * 1024 * 1024;

/** A mailbox with its display name. */
export interface Mailbox {
  readonly name?: string | undefined;
  readonly email: string;
}

/** A file to attach: its bytes, or what `encodeAttachment()` made of them. */
export interface MailAttachment {
  readonly filename: string;
  readonly content: Uint8Array | { readonly base64: Buffer };
  readonly contentType: string;
  /** Content id: the HTML shows the file as `cid:` and this id. Without it the file is an attachment. */
  readonly contentId?: string | undefined;
}

/** The content of a message. */
export interface MailContent {
  /** With its angle brackets: `<id@example.com>`. The boundaries are derived from it. */
  readonly messageId: string;
  readonly date: Date;
  readonly from: Mailbox;
  readonly to: Mailbox;
  readonly subject: string;
  /** The texts are in UTF-8 if they are bytes. */
  readonly html: string | Uint8Array;
  readonly text: string | Uint8Array;
  readonly attachments?: readonly MailAttachment[];
  /** Where replies go, instead of to the sender. */
  readonly replyTo?: readonly Mailbox[] | undefined;
  /** Other recipients, visible to all of them. */
  readonly cc?: readonly Mailbox[] | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly listUnsubscribe?: ListUnsubscribe | undefined;
}

/** A finished message. */
export interface ComposedMail {
  /** ASCII only, except for header addresses if `needsSmtpUtf8`; every line ends with CRLF. */
  readonly raw: Buffer;
  /** Both addresses in the form of SMTP. */
  readonly envelope: { readonly from: string; readonly to: string };
  /** Whether an address needs a server that offers SMTPUTF8. */
  readonly needsSmtpUtf8: boolean;
}

/** The finished message would be larger than allowed. */
export class MailTooLargeError extends Error {
  override readonly name = "MailTooLargeError";
  /** The size of the message and the maximum size, in bytes. */
  readonly size: number;
  readonly limit: number;

  constructor(size: number, limit: number) {
    super(`Cannot compose the mail: it has ${size} bytes encoded, more than the limit of ${limit}`);
    this.size = size;
    this.limit = limit;
  }
}

/**
 * Composes a MIME message: text and HTML as alternatives, and the attachments (RFC 5322, 2045-2047,
 * 2231, 2387). Pure: the same content gives the same bytes, so that every attempt at sending is the same.
 *
 * ```ts
 * const mail = composeMime({
 *   messageId: "<m1@example.com>",
 *   date: new Date(),
 *   from: { name: "Acme", email: "billing@example.com" },
 *   to: { email: "ann@example.com" },
 *   subject: "Your invoice",
 *   html: "<p>Hello</p>",
 *   text: "Hello",
 * });
 * ```
 *
 * @throws {MailTooLargeError} If it has more than `maxBytes`, 25 MB by default.
 * @throws {RangeError} If an address, the Message-ID, the date or an extra header cannot be written.
 */
export function composeMime(
  content: MailContent,
  options: { maxBytes?: number } = {},
): ComposedMail {
  const from = toWireAddress(content.from.email);
  const to = toWireAddress(content.to.email);
  const [cc, replyTo] = [onWire(content.cc), onWire(content.replyTo)];
  const boundary = boundaryOf(content.messageId);
  const chunks: Chunk[] = [
    addressHeader("From", { name: content.from.name, email: from.address }),
    addressHeader("To", { name: content.to.name, email: to.address }),
    ...mailboxesHeader("Cc", cc),
    ...mailboxesHeader("Reply-To", replyTo),
    textHeader("Subject", content.subject),
    `Message-ID: ${checkMessageId(content.messageId)}\r\n`,
    `Date: ${rfc5322Date(content.date)}\r\n`,
    ...listHeaders(content.listUnsubscribe),
    ...Object.entries(content.headers ?? {}).map(extraHeader),
    "MIME-Version: 1.0\r\n",
  ];
  const attachments = content.attachments ?? [];
  const beside = attachments.filter(({ contentId }) => contentId === undefined);
  if (beside.length === 0) {
    pushBody(chunks, content, boundary);
  } else {
    chunks.push(`Content-Type: multipart/mixed;\r\n boundary="${boundary}-m"\r\n\r\n`);
    chunks.push(`--${boundary}-m\r\n`);
    pushBody(chunks, content, boundary);
    for (const attachment of beside) {
      chunks.push(`--${boundary}-m\r\n`);
      pushAttachment(chunks, attachment);
    }
    chunks.push(`--${boundary}-m--\r\n`);
  }
  return {
    raw: join(chunks, options.maxBytes ?? defaultMaxBytes),
    envelope: { from: from.address, to: to.address },
    needsSmtpUtf8: [from, to, ...cc, ...replyTo].some(({ needsSmtpUtf8 }) => needsSmtpUtf8),
  };
}

/** Text, bytes, or base64 in one line, which `join()` writes in lines. */
type Chunk = string | Buffer | { oneLine: string };

/** The texts, and with them the files that the HTML shows (RFC 2387). */
function pushBody(chunks: Chunk[], content: MailContent, boundary: string) {
  const inline = (content.attachments ?? []).filter(({ contentId }) => contentId !== undefined);
  if (inline.length === 0) return pushAlternative(chunks, content, boundary);
  chunks.push(
    'Content-Type: multipart/related;\r\n type="multipart/alternative";' +
      `\r\n boundary="${boundary}-r"\r\n\r\n--${boundary}-r\r\n`,
  );
  pushAlternative(chunks, content, boundary);
  for (const attachment of inline) {
    chunks.push(`--${boundary}-r\r\n`);
    pushAttachment(chunks, attachment);
  }
  chunks.push(`--${boundary}-r--\r\n`);
}

function pushAlternative(chunks: Chunk[], content: MailContent, boundary: string) {
  chunks.push(`Content-Type: multipart/alternative;\r\n boundary="${boundary}-a"\r\n\r\n`);
  pushText(chunks, boundary, { subtype: "plain", text: content.text });
  pushText(chunks, boundary, { subtype: "html", text: content.html });
  chunks.push(`--${boundary}-a--\r\n`);
}

function pushText(
  chunks: Chunk[],
  boundary: string,
  part: { subtype: "plain" | "html"; text: string | Uint8Array },
) {
  chunks.push(
    `--${boundary}-a\r\nContent-Type: text/${part.subtype}; charset=utf-8\r\n` +
      "Content-Transfer-Encoding: base64\r\n\r\n",
    { oneLine: base64OfText(part.text) },
  );
}

function pushAttachment(chunks: Chunk[], attachment: MailAttachment) {
  const { name, filename } = fileNameParameters(attachment.filename);
  const { content, contentType, contentId } = attachment;
  const disposition = contentId === undefined ? "attachment" : "inline";
  chunks.push(
    `Content-Type: ${
      checkToken(contentType, /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:; ?charset=[\w-]+)?$/)
    }` +
      `${name}\r\nContent-Disposition: ${disposition}${filename}\r\n` +
      (contentId === undefined ? "" : `Content-ID: <${checkToken(contentId, /^[\w.-]+$/)}>\r\n`) +
      "Content-Transfer-Encoding: base64\r\n\r\n",
  );
  chunks.push("base64" in content ? content.base64 : { oneLine: base64OfBytes(content) });
}

function checkToken(value: string, pattern: RegExp): string {
  if (value.length <= 127 && pattern.test(value)) return value;
  throw new RangeError(`Cannot attach a file: ${JSON.stringify(value)} is malformed`);
}

function join(chunks: readonly Chunk[], maxBytes: number): Buffer {
  let size = 0;
  for (const chunk of chunks) size += lengthOf(chunk);
  if (size > maxBytes) throw new MailTooLargeError(size, maxBytes);
  const raw = Buffer.allocUnsafe(size);
  let end = 0;
  for (const chunk of chunks) {
    if (typeof chunk === "string") end += raw.write(chunk, end);
    else if ("oneLine" in chunk) end = writeLines(chunk.oneLine, { target: raw, at: end });
    else end += chunk.copy(raw, end);
  }
  return raw;
}

function lengthOf(chunk: Chunk): number {
  if (typeof chunk === "string") return Buffer.byteLength(chunk);
  return "oneLine" in chunk ? lengthInLines(chunk.oneLine) : chunk.length;
}

/** The `_` keeps it out of every base64 line, and thus out of every part. */
function boundaryOf(messageId: string): string {
  return `=_${hash("sha256", messageId, "hex").slice(0, 32)}`;
}

function checkMessageId(messageId: string): string {
  if (/^<[\x21-\x3b\x3d\x3f-\x7e]+>$/.test(messageId) && messageId.length <= 400) return messageId;
  throw new RangeError(`Cannot use the Message-ID ${JSON.stringify(messageId)}: it is malformed`);
}

function rfc5322Date(date: Date): string {
  if (Number.isNaN(date.getTime())) throw new RangeError("Cannot compose the mail: no valid date");
  return date.toUTCString().replace("GMT", "+0000");
}

type WireMailbox = WireAddress & { readonly name: string | undefined };

function onWire(mailboxes: readonly Mailbox[] = []): WireMailbox[] {
  return mailboxes.map(({ name, email }) => ({ ...toWireAddress(email), name }));
}

function mailboxesHeader(name: string, mailboxes: readonly WireMailbox[]): string[] {
  if (mailboxes.length === 0) return [];
  return [addressListHeader(name, mailboxes.map(({ name, address: email }) => ({ name, email })))];
}

/** RFC 2369, 3.2, and RFC 8058, 3.1. */
function listHeaders(how: ListUnsubscribe | undefined): string[] {
  if (how === undefined) return [];
  const { url, mailto } = how;
  const ways = [
    ...(url === undefined ? [] : [url]),
    ...(mailto === undefined ? [] : [`mailto:${mailto}`]),
  ];
  const unsafe = ways.find((way) => !/^[\x21-\x7e]{1,900}$/.test(way) || /[<>,]/.test(way));
  if (unsafe !== undefined) {
    throw new RangeError(`Cannot write List-Unsubscribe: ${JSON.stringify(unsafe)} is malformed`);
  }
  return [
    `List-Unsubscribe: ${ways.map((way) => `<${way}>`).join(",\r\n ")}\r\n`,
    ...(isOneClick(how) ? ["List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n"] : []),
  ];
}

function extraHeader([name, value]: [string, string]): string {
  if (isAllowedHeader(name)) return structuredHeader(name, value);
  throw new RangeError(`Cannot write the header ${JSON.stringify(name)}: it may not be set`);
}
