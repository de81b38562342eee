import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { after, before, test } from "node:test";
import { messageIdOf } from "@posthaste/contracts";
import { minimalPdf, nightly, until } from "@posthaste/kit";
import { keepFile } from "./keep_file.ts";
import { readMail } from "./read_mail.ts";
import { openPdfOrder, type PdfOrder } from "./pdf_order.ts";

nightly("services/pdf/append_pages_test.ts", "services/renderer/appended_pdfs_test.ts");

let opened: PdfOrder;
before(async () => {
  opened = await openPdfOrder("Your offer");
});
after(() => opened?.[Symbol.asyncDispose]());

const NO_POPPLER = spawnSync("pdftotext", ["-v"]).error === undefined
  ? false
  : "NO PDFTOTEXT, NO APPENDED PDF IS READ: install poppler-utils";

const keep = (name: string, bytes: Buffer) =>
  keepFile(opened.system, {
    ...{ name, bytes, filename: `${name}.pdf`, contentType: "application/pdf" },
  });

test("a stored PDF follows the pages of each recipient's PDF, as it was when it was published", {
  skip: NO_POPPLER,
}, async () => {
  const { system, sink, order } = opened;
  // Too large for an event.
  const long = Array.from({ length: 90 }, (_, page) => `Terms ${page} ${"x".repeat(10_000)}`);
  const terms = await keep("terms", minimalPdf(long));
  const pdf = await system.publishPdf({
    html: "<h1>Offer for {{name}}",
    page: { append: ["terms"] },
    assets: [terms],
  });
  await keep("terms", minimalPdf(["Newer terms"]));
  const people = ["ann", "bea", "cyd"];
  const to = people.map((name) => ({
    email: `${name}@append.example`,
    attachments: [{ id: pdf, variables: { name } }],
  }));
  const { id } = await system.send({ ...order, to });
  await system.untilDone(id);
  for (const index of people.keys()) {
    const { state, reason } = await system.message(messageIdOf(id, index));
    assert.equal(state, "sent", reason ?? "");
  }
  await until(() => sink.messages.length === 3, { message: "three mails" });
  const texts: string[] = [];
  for (const message of sink.messages) {
    const [mail] = await readMail(message);
    const input = mail.attachments[0]?.bytes ?? "";
    const { stdout } = spawnSync("pdftotext", ["-", "-"], { input, encoding: "utf8" });
    const pages = stdout.trim().split("\f");
    assert.equal(pages.length, 91);
    assert.match(pages[1] ?? "", /Terms 0/);
    assert.match(pages[90] ?? "", /Terms 89/);
    assert.doesNotMatch(stdout, /Newer/);
    texts.push(pages[0]?.trim() ?? "");
  }
  assert.deepEqual(texts.sort(), people.map((name) => `Offer for ${name}`));
});
