import type { SunkMessage } from "@posthaste/kit";
import { simpleParser } from "mailparser";
import PostalMime, { type Address } from "postal-mime";

/** A mail as a parser understood it. */
export interface ReadMail {
  subject: string;
  html: string;
  text: string;
  from: { name: string; email: string };
  to: { name: string; email: string }[];
  cc: { name: string; email: string }[];
  replyTo: { name: string; email: string }[];
  messageId: string;
  date: Date;
  /** With `contentId`, it is shown in the HTML. */
  attachments: { filename: string; type: string; bytes: Buffer; contentId?: string | undefined }[];
}

/** Reads a mail with two independent parsers, `postal-mime` and `mailparser`. Texts are trimmed. */
export function readMail({ raw }: Pick<SunkMessage, "raw">): Promise<[ReadMail, ReadMail]> {
  return Promise.all([byPostalMime(raw), byMailparser(raw)]);
}

async function byPostalMime(raw: Buffer): Promise<ReadMail> {
  const mail = await PostalMime.parse(raw, { attachmentEncoding: "arraybuffer" });
  const mailbox = ({ name = "", address = "" }: Partial<Address>) => ({ name, email: address });
  return {
    subject: mail.subject ?? "",
    html: (mail.html ?? "").trim(),
    text: (mail.text ?? "").trim(),
    from: mailbox(mail.from ?? {}),
    to: (mail.to ?? []).map(mailbox),
    cc: (mail.cc ?? []).map(mailbox),
    replyTo: (mail.replyTo ?? []).map(mailbox),
    messageId: mail.messageId ?? "",
    date: new Date(mail.date ?? ""),
    attachments: mail.attachments.map(({ filename, mimeType, content, contentId }) => ({
      ...(contentId ? { contentId: contentId.replace(/^<|>$/g, "") } : {}),
      filename: filename ?? "",
      type: mimeType,
      bytes: Buffer.from(content as ArrayBuffer),
    })),
  };
}

async function byMailparser(raw: Buffer): Promise<ReadMail> {
  const mail = await simpleParser(raw);
  const mailbox = ({ name, address }: { name: string; address?: string | undefined }) => ({
    name,
    email: address ?? "",
  });
  const [from = { name: "", email: "" }] = (mail.from?.value ?? []).map(mailbox);
  return {
    subject: mail.subject ?? "",
    html: (mail.html || "").trim(),
    text: (mail.text ?? "").trim(),
    from,
    to: [mail.to ?? []].flat().flatMap(({ value }) => value.map(mailbox)),
    cc: [mail.cc ?? []].flat().flatMap(({ value }) => value.map(mailbox)),
    replyTo: (mail.replyTo?.value ?? []).map(mailbox),
    messageId: mail.messageId ?? "",
    date: mail.date ?? new Date(Number.NaN),
    attachments: mail.attachments.map(({ filename, contentType, content, cid }) => ({
      ...(cid ? { contentId: cid } : {}),
      filename: filename ?? "",
      type: contentType,
      bytes: content,
    })),
  };
}
