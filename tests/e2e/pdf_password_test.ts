import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { after, before, test } from "node:test";
import { messageIdOf, type Variables } from "@posthaste/contracts";
import { nightly, until } from "@posthaste/kit";
import { readMail } from "./read_mail.ts";
import { openPdfOrder, type PdfOrder } from "./pdf_order.ts";

nightly("services/pdf/encrypt_pdf_test.ts", "services/renderer/pdf_password_test.ts");

let opened: PdfOrder;
before(async () => {
  opened = await openPdfOrder("Your payslip");
});
after(() => opened?.[Symbol.asyncDispose]());

const NO_POPPLER = spawnSync("pdftotext", ["-v"]).error === undefined
  ? false
  : "NO PDFTOTEXT, NO PASSWORD IS TESTED: install poppler-utils";

/** Returns the text of a PDF, as another program reads it; empty if the password is wrong. */
function textBy(pdf: Uint8Array, password: string): string {
  const args = ["-upw", password, "-", "-"];
  return spawnSync("pdftotext", args, { input: pdf, encoding: "utf8" }).stdout.trim();
}

test("each recipient's PDF opens with their own password; without one it is not sent", {
  skip: NO_POPPLER,
}, async () => {
  const { system, sink, order } = opened;
  const pdf = await system.publishPdf({
    html: "<h1>Pay of {{name}}",
    page: { passwordVariable: "staff.code" },
  });
  const codes: Variables = { ada: "Grün 1", bob: 4711, cyd: ["never shown"] };
  const to = Object.entries(codes).map(([name, code]) => ({
    email: `${name}@password.example`,
    attachments: [{ id: pdf, variables: { name, staff: { code } } }],
  }));
  const { id } = await system.send({ ...order, to });
  await system.untilDone(id);
  const { state, reason } = await system.message(messageIdOf(id, 2));
  assert.equal(state, "failed");
  assert.match(
    reason ?? "",
    /PDF template \d+: the variable "staff.code", the password of the PDF, is neither a text nor a number$/,
  );
  await until(() => sink.messages.length === 2, { message: "two mails" });
  const pdfs = new Map<string, Uint8Array>();
  for (const message of sink.messages) {
    const [mail] = await readMail(message);
    pdfs.set(mail.to[0]?.email ?? "", mail.attachments[0]?.bytes ?? new Uint8Array());
  }
  const ada = pdfs.get("ada@password.example") ?? new Uint8Array();
  const bob = pdfs.get("bob@password.example") ?? new Uint8Array();
  assert.equal(textBy(ada, "Grün 1"), "Pay of ada");
  assert.equal(textBy(bob, "4711"), "Pay of bob");
  for (const [file, wrong] of [[ada, "4711"], [ada, ""], [bob, "Grün 1"]] as const) {
    assert.equal(textBy(file, wrong), "");
  }
});
