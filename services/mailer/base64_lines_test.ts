import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeAttachment } from "./base64_lines.ts";
import { composeMime } from "./compose_mime.ts";

/** Around the ends of a line of 57 bytes. */
const LENGTHS = [0, 1, 2, 55, 56, 57, 58, 113, 114, 115];

const around = Uint8Array.from({ length: 200 }, (_, index) => (index * 7919) % 256);

function expected(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64").replace(/.{1,76}/g, "$&\r\n");
}

for (const length of LENGTHS) {
  // As in the tail of an event: other bytes of its memory are of other mails.
  const bytes = new Uint8Array(around.buffer, 7, length);

  test(`encodeAttachment() writes ${length} bytes in lines of 76 characters`, () => {
    assert.equal(encodeAttachment(bytes).toString(), expected(bytes));
  });

  test(`composeMime() writes a file of ${length} bytes as encodeAttachment() does`, () => {
    const { raw } = composeMime({
      messageId: "<m1@mail.example.com>",
      date: new Date("2026-03-01T12:30:00Z"),
      from: { email: "billing@example.com" },
      to: { email: "ann@example.net" },
      subject: "Your invoice",
      html: "<p>Hello</p>",
      text: "Hello",
      attachments: [{ filename: "a.pdf", content: bytes, contentType: "application/pdf" }],
    });
    const [, file = ""] = raw.toString().split("Content-Type: application/pdf");
    const [, body = ""] = file.split("base64\r\n\r\n");
    assert.equal(body.slice(0, body.lastIndexOf("--=_")), expected(bytes));
  });
}
