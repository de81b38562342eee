import { contentReplySchema, type EventData, type Send } from "@posthaste/contracts";
import { testSend } from "@posthaste/kit";
import { openSandbox } from "@posthaste/templating";
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { emailVersion, GERMAN_MAIL, GERMAN_PDF, pdfVersion } from "./_test_versions.ts";
import { contentStep } from "./content_step.ts";

const sandbox = openSandbox({ workers: 1 });
after(() => sandbox[Symbol.asyncDispose]());

const send = testSend({
  template: { id: 1, version: 2 },
  pdfVersions: { 7: 3 },
  request: {
    from: { email: "shop@example.com" },
    variables: { name: "all" },
    to: [
      { email: "a@example.com" },
      {
        email: "b@example.com",
        variables: { name: "Bob" },
        attachments: [{ id: 7, variables: { name: "Bill" } }, { id: 7, filename: "x.pdf" }],
      },
    ],
  },
});

interface Changes {
  accountId?: string;
  index?: number;
  version?: number;
  /** Changes of the stored request. */
  request?: Partial<Send["request"]>;
  more?: Partial<EventData<"content.requested">>;
}

async function reply(
  { accountId = "acc_1", index = 1, version = 2, request, more }: Changes = {},
) {
  const found = { ...send, request: { ...send.request, ...request } };
  const step = contentStep({
    kept: { embedded: () => Promise.resolve({}) },
    emailVersion: (_account, _id, wanted) =>
      Promise.resolve(wanted === version ? emailVersion({ variants: GERMAN_MAIL }) : null),
    pdfVersion: (_account, id) => Promise.resolve(pdfVersion(id, { variants: GERMAN_PDF })),
    sends: {
      load: (id) => Promise.resolve(id === send._id ? found : null),
    },
    fill: sandbox.fill,
    storeContent: () => Promise.reject(new Error("nothing is large")),
  });
  const data = { v: 2 as const, accountId, sendId: send._id, index, ...more };
  const delivery = { type: "content.requested", data } as const;
  const verdict = await step.handle(delivery, new AbortController().signal);
  assert.ok(verdict.type === "done" && verdict.publish.length === 0);
  return contentReplySchema.parse(verdict.replies?.[0]);
}

test("contentStep() renders a recipient's message again, with its PDFs", async () => {
  const { page } = pdfVersion(7);
  assert.deepEqual(await reply(), {
    ok: true,
    parts: {
      subject: "Hello Bob",
      html: { inline: "<p>Bob in Oslo</p>" },
      text: { inline: "Bob in Oslo" },
    },
    pdfs: [
      ...[["Bill", "invoice-Bill.pdf"], ["Bob", "x.pdf"]].map(([name, filename]) => ({
        ...{ templateId: 7, filename, page },
        html: { inline: `<h1>${name}</h1><p>7 NOK</p>` },
      })),
    ],
  });
  const first = await reply({ index: 0 });
  assert.ok(first.ok);
  assert.deepEqual([first.parts.subject, first.pdfs], ["Hello all", []]);
});

test("contentStep() reveals nothing of another account's message, nor of a missing one", async () => {
  const nothing = { ok: false, reason: "the message is not in the ledger" };
  assert.deepEqual(await reply({ accountId: "acc_2" }), nothing);
  assert.deepEqual(await reply({ index: 2 }), nothing);
  const missing = await reply({ version: 9 });
  assert.deepEqual(missing, { ok: false, reason: "version 2 of template 1 is missing" });
});

test("contentStep() fills a given message that is not in the ledger", async () => {
  const given = {
    ...{ template: { id: 1, version: 2 }, pdfVersions: { 7: 3 }, variables: { name: "top" } },
    recipient: {
      ...{ index: 4, attempt: 0, email: "c@example.com" },
      attachments: [{ id: 7, variables: { name: "own" } }],
    },
  };
  const filled = await reply({ more: { sendId: "", given, namesOnly: true } });
  assert.ok(filled.ok);
  assert.equal(filled.parts.subject, "Hello top");
  // Only the name of the PDF was requested.
  const pdfs = filled.pdfs.map(({ filename, html }) => [filename, html]);
  assert.deepEqual(pdfs, [["invoice-own.pdf", { inline: "" }]]);
});

test("contentStep() fills one PDF template alone", async () => {
  const pdf = { id: 7, version: 3, variables: { name: "own" } };
  const filled = await reply({ more: { sendId: "", pdf } });
  assert.ok(filled.ok);
  assert.deepEqual(filled.pdfs, [{
    ...{ templateId: 7, filename: "invoice-own.pdf", page: pdfVersion(7).page },
    html: { inline: "<h1>own</h1><p>7 NOK</p>" },
  }]);
});

test("contentStep() renders a message again in the language of its recipient, or of its send", async () => {
  const subject = async (changes: Changes) => {
    const filled = await reply({ index: 0, ...changes });
    return filled.ok && filled.parts.subject;
  };
  assert.equal(await subject({ request: { locale: "de-AT" } }), "Hallo all");
  const to = [{ email: "a@example.com", locale: "fr" }];
  assert.equal(await subject({ request: { locale: "de-AT", to } }), "Hello all");
  const pdf = { id: 7, version: 3, locale: "de", variables: { name: "own" } };
  const filled = await reply({ more: { sendId: "", pdf } });
  assert.equal(filled.ok && filled.pdfs[0]?.filename, "rechnung-own.pdf");
});
