import assert from "node:assert/strict";
import { test } from "node:test";
import { messageIdOf } from "@posthaste/contracts";
import { nightly, openSmtpSink } from "@posthaste/kit";
import { readMail } from "./read_mail.ts";
import { readPdf } from "./read_pdf.ts";
import { openSystem, type System } from "./system.ts";

nightly("services/pdf/print_test.ts", "services/pdf/limits_fault_test.ts");

/** What docs/pdf.md says for PDFs of 25 MB. */
const FOR_25_MB = { PDF_LIMIT: "25500KB", MAIL_LIMIT: "35MB" };

/** A document with noise, which no PDF can compress: about 33 bytes for each pixel. */
function noisyDocument(height: number): string {
  return `<h1>Scan of {{ name }}</h1><svg width="720" height="${height}">` +
    `<filter id="noise"><feTurbulence baseFrequency=".7" /></filter>` +
    `<rect width="720" height="${height}" filter="url(#noise)" /></svg>`;
}

const MARGIN = { top: "5mm", right: "5mm", bottom: "5mm", left: "5mm" };

/** Sends a mail with a noisy PDF. Returns the ids of message and PDF template. */
async function sendNoise(system: System, { height, port }: { height: number; port: number }) {
  const template = await system.publishEmail({ subject: "Your scan", html: "<p>See the PDF" });
  const integration = await system.connect(port);
  const pdf = await system.publishPdf({ html: noisyDocument(height), page: { margin: MARGIN } });
  const to = [{ email: "ann@large.example", attachments: [{ id: pdf }] }];
  const { id } = await system.send({ template, integration, to, variables: { name: "Ann" } });
  await system.untilDone(id);
  return { message: await system.message(messageIdOf(id, 0)), pdf };
}

/** Prints a PDF template over HTTP. */
async function printByHttp({ stack, token }: System, pdf: number): Promise<Buffer> {
  const response = await fetch(`${stack.apiUrl}/pdf-templates/${pdf}/render`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "Ann" }),
  });
  assert.equal(response.status, 200, response.ok ? "" : await response.text());
  return Buffer.from(await response.arrayBuffer());
}

/** Returns a PDF without the hour in which it was made. */
function withoutHour(pdf: Buffer): Buffer {
  return Buffer.from(pdf.toString("latin1").replaceAll(/D:\d{14}/g, "D:"), "latin1");
}

test("a PDF of 25 MB arrives as it was printed", async () => {
  await using sink = await openSmtpSink();
  await using system = await openSystem({ env: FOR_25_MB });
  const { message, pdf } = await sendNoise(system, { height: 1055, port: sink.port });
  assert.equal(message.state, "sent", message.reason ?? "");
  const [sunk, ...others] = sink.messages;
  assert.ok(sunk && others.length === 0);
  assert.ok(sunk.raw.length > 34_000_000, `${sunk.raw.length} bytes`);
  const printed = withoutHour(await printByHttp(system, pdf));
  for (const { attachments } of await readMail(sunk)) {
    const [attachment, ...more] = attachments;
    assert.ok(attachment && more.length === 0);
    const { bytes } = attachment;
    assert.ok(bytes.length >= 25_000_000, `${bytes.length} bytes`);
    assert.ok(withoutHour(bytes).equals(printed), "it is not the PDF that the template makes");
  }
  const [mail] = await readMail(sunk);
  const { pages } = await readPdf(mail.attachments[0]?.bytes ?? new Uint8Array());
  assert.match(pages[0] ?? "", /Scan of Ann/);
  assert.deepEqual(system.lines.filter((line) => line.includes("MAIL_LIMIT")), []);
});

test("with PDF_LIMIT alone, the pdf service warns at its start of the mails that fail", async () => {
  await using sink = await openSmtpSink();
  await using system = await openSystem({ env: { PDF_LIMIT: "2MB", MAIL_LIMIT: "1MB" } });
  const warnings = system.lines.filter((line) => line.includes("MAIL_LIMIT is 1MB"));
  assert.equal(warnings.length, 1, system.lines.join("\n"));
  assert.match(warnings[0] ?? "", /^pdf .*"level":"warn".* to 4MB/);
  const { message } = await sendNoise(system, { height: 50, port: sink.port });
  assert.equal(message.state, "failed");
  assert.match(message.reason ?? "", /bytes encoded, more than the limit of 1000000/);
  assert.equal(sink.messages.length, 0);
});
