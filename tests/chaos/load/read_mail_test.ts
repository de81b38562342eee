import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { readMail } from "./read_mail.ts";

const sha256 = (text: string) => createHash("sha256").update(text, "latin1").digest("hex");

function mail(pdf: string): Buffer {
  const base64 = Buffer.from(pdf, "latin1").toString("base64").replaceAll(/.{76}/g, "$&\r\n");
  return Buffer.from([
    "From: <shop@sender.example>",
    "To: <n7@run.example>",
    "Subject: Chaos 1",
    " to n7",
    "Message-ID: <msg_1@sender.example>",
    'Content-Type: multipart/mixed; boundary="b"',
    "",
    "--b",
    "Content-Type: text/plain",
    "",
    "Subject: not this one",
    "--b",
    "Content-Type: application/pdf",
    "Content-Transfer-Encoding: base64",
    "",
    base64,
    "--b--",
    "",
  ].join("\r\n"));
}

test("readMail() reads the headers, folded ones too, and the hash of each PDF", () => {
  const pdf = `%PDF-1.7\n${"x".repeat(200)}\n%%EOF\n`;
  const raw = mail(pdf);
  assert.deepEqual(readMail(raw), {
    messageId: "<msg_1@sender.example>",
    subject: "Chaos 1 to n7",
    toHeader: "<n7@run.example>",
    sha256: sha256(raw.toString("latin1")),
    pdfs: [{ sha256: sha256(pdf), whole: true }],
  });
});

test("readMail() detects a PDF that is cut off", () => {
  assert.deepEqual(readMail(mail("%PDF-1.7\nxxx")).pdfs.map(({ whole }) => whole), [false]);
  assert.deepEqual(readMail(mail("xxx\n%%EOF")).pdfs.map(({ whole }) => whole), [false]);
});
