import type { EventData, MailFile } from "@posthaste/contracts";
import type { MessageWithBytes } from "@posthaste/messaging";
import type { LoadAttachment } from "./attachment_cache.ts";
import {
  type ComposedMail,
  composeMime,
  type MailAttachment,
  MailTooLargeError,
} from "./compose_mime.ts";
import { toWireAddress } from "./wire_address.ts";

/** Loads the parts of a mail that its event only names. */
export interface MessageContents {
  loadAttachment: LoadAttachment;
  /** Loads a file of an account by its hash, as it stands in a mail. */
  loadFile(accountId: string, sha256: string): Promise<Buffer | undefined>;
  loadContent(key: string): Promise<string | undefined>;
}

/** A message that is ready to be sent. */
export type ReadyMessage =
  & Omit<EventData<"messages.printed">, "messages">
  & MessageWithBytes<"messages.printed">
  & { messageId: string };

/** A part of a mail is missing: the mail must be rendered again. */
export class MissingContentError extends Error {
  override readonly name = "MissingContentError";
}

/**
 * Composes the mail of a message, the same bytes on every attempt.
 *
 * @param maxBytes Largest mail, in bytes.
 * @returns A sentence if the mail is impossible: it is too large, or an address cannot be written.
 * @throws {MissingContentError} If a PDF or a text is gone from the object store.
 */
export async function composeMessage(
  message: ReadyMessage,
  contents: MessageContents,
  maxBytes: number,
): Promise<ComposedMail | string> {
  try {
    return await compose(message, contents, maxBytes);
  } catch (error) {
    if (error instanceof MailTooLargeError || error instanceof RangeError) return error.message;
    throw error;
  }
}

async function compose(
  message: ReadyMessage,
  contents: MessageContents,
  maxBytes: number,
): Promise<ComposedMail> {
  const { accountId, files = [] } = message;
  const [html, text, pdfs, given] = await Promise.all([
    textOf(message.html, contents),
    textOf(message.text, contents),
    Promise.all(message.attachments.map(async (attachment) => ({
      filename: attachment.filename,
      content: await pdfOf(attachment, contents),
      contentType: "application/pdf",
    }))),
    Promise.all(files.map((file, at) => attachmentOf(file, { accountId, at }, contents))),
  ]);
  const { messageId, acceptedAt, from, to, subject, envelope } = message;
  const { bcc: _bcc, toSuppressed: _override, ...fields } = envelope ?? {};
  return composeMime({
    messageId: `<${messageId}@${domainOf(from.email)}>`,
    date: new Date(acceptedAt),
    from: mailbox(from),
    to: mailbox(to),
    ...fields,
    subject,
    html,
    text,
    attachments: [...pdfs, ...given],
  }, { maxBytes });
}

/** A file was stored before its send: a missing one will stay missing. */
async function attachmentOf(
  { filename, contentType, contentId, sha256 }: MailFile,
  { accountId, at }: { accountId: string; at: number },
  { loadFile }: MessageContents,
): Promise<MailAttachment> {
  const base64 = await loadFile(accountId, sha256);
  if (base64 === undefined) {
    throw new RangeError(`Cannot compose the mail: its file ${at} is no longer stored`);
  }
  return { filename, contentType, contentId, content: { base64 } };
}

type Attachment = ReadyMessage["attachments"][number];

async function pdfOf(
  attachment: Attachment,
  { loadAttachment }: MessageContents,
): Promise<MailAttachment["content"]> {
  if ("bytes" in attachment) return attachment.bytes;
  const base64 = await loadAttachment(attachment.key);
  if (base64 === undefined) throw new MissingContentError(`Cannot find PDF "${attachment.key}"`);
  return { base64 };
}

function domainOf(email: string): string {
  const { address } = toWireAddress(email);
  return address.slice(address.lastIndexOf("@") + 1);
}

function mailbox({ email, name }: ReadyMessage["from"]) {
  return name === undefined ? { email } : { email, name };
}

type Text = ReadyMessage["html"];

async function textOf(content: Text, contents: MessageContents): Promise<string | Uint8Array> {
  if ("bytes" in content) return content.bytes;
  if ("inline" in content) return content.inline;
  const text = await contents.loadContent(content.key);
  if (text === undefined) throw new MissingContentError(`Cannot find content "${content.key}"`);
  return text;
}
