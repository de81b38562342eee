import PostalMime, { type Address, type Attachment, decodeWords, type Mailbox } from "postal-mime";
import type { StoredMail } from "./mail_store.ts";

/** A mail as the list shows it. */
export interface MailSummary {
  id: string;
  messageId: string;
  from: Mailbox;
  to: Mailbox[];
  subject: string;
  /** The Date header as ISO 8601; unchanged if it is not a date; or empty. */
  date: string;
  /** ISO 8601. */
  receivedAt: string;
  /** Bytes of the whole mail. */
  size: number;
  attachments: AttachmentSummary[];
}

/** One attachment; `inline` when the HTML shows it by its Content-ID. */
export interface AttachmentSummary {
  index: number;
  filename: string;
  contentType: string;
  size: number;
  inline: boolean;
}

/** A mail opened. `content` of the parts is bytes. */
export interface OpenedMail {
  summary: MailSummary;
  /** In the order of the mail, encoded words (RFC 2047) decoded. */
  headers: { name: string; value: string }[];
  cc: Mailbox[];
  replyTo: Mailbox[];
  text: string | null;
  html: string | null;
  parts: Attachment[];
}

/** Parses a raw mail. One that cannot be parsed is returned with the reason as its text. */
export async function readMail(stored: StoredMail, raw: Uint8Array): Promise<OpenedMail> {
  const mail = await PostalMime.parse(raw).catch((error: Error) => ({
    headers: [],
    attachments: [],
    subject: "(This mail cannot be read)",
    text: `${error.message}\n\nThe source is as it arrived.`,
  }));
  const { from, to, cc, replyTo, messageId, date, html } = "headerLines" in mail ? mail : {};
  return {
    summary: {
      id: stored.id,
      messageId: messageId ?? "",
      from: mailboxes(from && [from])[0] ?? { name: "", address: "" },
      to: mailboxes(to),
      subject: mail.subject ?? "",
      date: date ?? "",
      receivedAt: stored.receivedAt.toISOString(),
      size: stored.size,
      attachments: mail.attachments.map(describe),
    },
    headers: mail.headers.map(({ originalKey, value }) => ({
      name: originalKey,
      value: decodeWords(value),
    })),
    cc: mailboxes(cc),
    replyTo: mailboxes(replyTo),
    text: mail.text ?? null,
    html: html ?? null,
    parts: mail.attachments,
  };
}

/** Returns the bytes of an attachment. */
export function bytesOf({ content }: Attachment): Uint8Array {
  if (typeof content === "string") return Buffer.from(content);
  return content instanceof ArrayBuffer ? new Uint8Array(content) : content;
}

function describe(part: Attachment, index: number): AttachmentSummary {
  return {
    index,
    filename: part.filename ?? `attachment-${index + 1}`,
    contentType: part.mimeType,
    size: bytesOf(part).byteLength,
    inline: part.related === true,
  };
}

function mailboxes(addresses: Address[] | undefined): Mailbox[] {
  return (addresses ?? []).flatMap((address) => address.group ?? [address])
    .map(({ name, address }) => ({ name, address }));
}
