import { minimalInvoice, sampleInvoice } from "@posthaste/kit";
import assert from "node:assert/strict";
import { after, test } from "node:test";
import {
  type PageOptionsInput,
  pageOptionsSchema,
  pdfEncryptionSchema,
  type Variables,
} from "@posthaste/contracts";
import { openSandbox } from "@posthaste/templating";
import { emailVersion, pdfVersion } from "./_test_versions.ts";
import { finishPdfs } from "./finish_pdfs.ts";
import { planMessage, readFills, templatesOf } from "./render_message.ts";

const sandbox = openSandbox({ workers: 1, timeLimitMs: 2_000 });
after(() => sandbox[Symbol.asyncDispose]());

const ARCHIVED = { conformance: "pdf/a-3b", invoice: "minimum" } as const;

async function render(
  invoice: string | undefined,
  page: PageOptionsInput,
  variables = { name: "Müller & <Söhne>", total: 119 } as Variables,
) {
  const parts = { html: "<p>", filename: "a.pdf", ...(invoice === undefined ? {} : { invoice }) };
  const version = pdfVersion(7, { parts, page: pageOptionsSchema.parse(page) });
  const versions = { email: emailVersion(), pdfs: new Map([[7, version]]) };
  const recipient = { index: 0, attempt: 0, email: "x", attachments: [{ id: 7 }], variables };
  const plan = planMessage(recipient, undefined, versions);
  const results = await sandbox.fill({
    templates: templatesOf(versions, new Set([undefined])),
    fills: plan.fills,
  });
  return await finishPdfs(readFills(plan, results), versions);
}

test("finishPdfs() returns the filled XML, with escaped values, and its sums", async () => {
  const message = await render(minimalInvoice("{{name}}", "{{total}}"), ARCHIVED);
  assert.ok(message.ok, JSON.stringify(message));
  const [pdf] = message.pdfs;
  assert.equal(pdf?.invoice?.xml, minimalInvoice("Müller &amp; &lt;Söhne&gt;", "119"));
  assert.deepEqual([pdf?.invoice?.grandTotal, pdf?.invoice?.profile], ["119", "minimum"]);
  assert.ok(!("xml" in (pdf ?? {})));
});

test("finishPdfs() leaves PDFs without an invoice as they are", async () => {
  const message = await render(undefined, { conformance: "pdf/a-3b" });
  assert.ok(message.ok);
  assert.equal(message.pdfs[0]?.invoice, undefined);
});

const FAULTS: [string, string | undefined, PageOptionsInput, RegExp][] = [
  ["XML that is not well-formed", minimalInvoice("{{{name}}}", "1"), ARCHIVED, /not well-formed/],
  ["an empty sum", minimalInvoice("a", "{{none}}"), ARCHIVED, /lacks .*GrandTotalAmount/],
  [
    "sums that disagree",
    sampleInvoice("minimum").replace(">19.00<", ">{{total}}<"),
    ARCHIVED,
    /the totals differ \(totals_differ\): BR-CO-15: GrandTotalAmount is 119\.00, .* is 219\.00: add/,
  ],
  ["an XML without a profile", minimalInvoice("a", "1"), {}, /name no profile/],
  ["a profile without XML", undefined, ARCHIVED, /has no invoice XML/],
  ["no PDF/A", minimalInvoice("a", "1"), { invoice: "minimum" }, /only be attached to PDF\/A-3b/],
];

for (const [what, invoice, page, pattern] of FAULTS) {
  test(`finishPdfs() fails a message with ${what}`, async () => {
    const message = await render(invoice, page);
    assert.ok(!message.ok);
    assert.match(message.reason, pattern);
    assert.match(message.reason, /^PDF template 7: /);
    assert.equal(message.outage, false);
  });
}

test("finishPdfs() never finds HTML in the XML: a text keeps its line breaks", async () => {
  const xml = minimalInvoice("{{breaks lines}}", "1");
  const message = await render(xml, ARCHIVED, { lines: "a\n<b>" });
  assert.ok(message.ok, JSON.stringify(message));
  assert.match(message.pdfs[0]?.invoice?.xml ?? "", />a\n&lt;b&gt;</);
});

test("finishPdfs() replaces the password by keys, and keeps it out of the message", async () => {
  const variables = { name: "x", codes: { pdf: "correct horse" } };
  const message = await render(undefined, { passwordVariable: "codes.pdf" }, variables);
  assert.ok(message.ok, JSON.stringify(message));
  assert.ok(pdfEncryptionSchema.safeParse(message.pdfs[0]?.encryption).success);
  assert.doesNotMatch(JSON.stringify(message), /correct|horse/);
  const open = await render(undefined, {}, variables);
  assert.ok(open.ok && open.pdfs[0]?.encryption === undefined);
});

test("finishPdfs() fails a message without its password", async () => {
  const message = await render(undefined, { passwordVariable: "code" }, { code: "" });
  assert.ok(!message.ok);
  assert.match(message.reason, /^PDF template 7: the variable "code", .*, is empty$/);
});
