import { createHash } from "node:crypto";

/** The sink ledger's fields of a mail. */
export interface MailFigures {
  messageId: string;
  subject: string;
  toHeader: string;
  /** Of all bytes between DATA and the dot, as they came. */
  sha256: string;
  pdfs: { sha256: string; whole: boolean }[];
}

const BOUNDARY = Buffer.from("\r\n--");
const HEAD_END = Buffer.from("\r\n\r\n");
const PDF_PART = Buffer.from("\r\nContent-Type: application/pdf");

/** Reads a mail as far as the ledger needs it; independently of the mailer's code. */
export function readMail(raw: Buffer): MailFigures {
  const head = raw.toString("latin1", 0, Math.max(0, raw.indexOf(HEAD_END)));
  const lines = head.replaceAll(/\r\n[ \t]+/g, " ").split("\r\n");
  const header = (name: string) =>
    lines.find((line) => line.toLowerCase().startsWith(`${name}:`))?.slice(name.length + 1)
      .trim() ?? "";
  return {
    messageId: header("message-id"),
    subject: header("subject"),
    toHeader: header("to"),
    sha256: sha256(raw),
    pdfs: pdfsOf(raw),
  };
}

function pdfsOf(raw: Buffer): MailFigures["pdfs"] {
  const pdfs: MailFigures["pdfs"] = [];
  for (let at = raw.indexOf(PDF_PART); at >= 0; at = raw.indexOf(PDF_PART, at + 1)) {
    const start = raw.indexOf(HEAD_END, at + 2) + HEAD_END.length;
    const end = raw.indexOf(BOUNDARY, start);
    const bytes = Buffer.from(raw.toString("latin1", start, end), "base64");
    const text = bytes.toString("latin1");
    const whole = text.startsWith("%PDF-") && text.trimEnd().endsWith("%%EOF");
    pdfs.push({ sha256: sha256(bytes), whole });
  }
  return pdfs;
}

function sha256(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
