import { type FillResult, RenderError } from "@posthaste/templating";
import assert from "node:assert/strict";
import { test } from "node:test";
import { emailVersion, pdfVersion } from "./_test_versions.ts";
import { MAX_SUBJECT_LENGTH, planMessage, readFills, templatesOf } from "./render_message.ts";

const VERSIONS = {
  email: emailVersion({ variables: [] }),
  pdfs: new Map([[7, pdfVersion(7, { variables: [] })], [8, pdfVersion(8, { variables: [] })]]),
};

function names(plan: ReturnType<typeof planMessage>): unknown[] {
  return plan.fills.map(({ data }) => data["name"]);
}

test("planMessage() prefers the lowest level, as in the example of the interface", () => {
  const common = { name: "A" };
  const first = { index: 0, attempt: 0, email: "x", variables: { name: "B" } };
  const second = { index: 1, attempt: 0, email: "y" };
  const attached = planMessage({ ...first, attachments: [{ id: 7 }] }, common, VERSIONS);
  assert.deepEqual(names(attached), ["B", "B"]);
  const attachments = [{ id: 7, variables: { name: "C" } }];
  assert.deepEqual(names(planMessage({ ...second, attachments }, common, VERSIONS)), ["A", "C"]);
});

test("planMessage() keeps an attachment's variables from the mail and the other attachments", () => {
  const plan = planMessage(
    {
      index: 0,
      attempt: 0,
      email: "x",
      attachments: [
        { id: 7, variables: { name: "C", only: 1 } },
        { id: 7 },
        { id: 8, variables: { name: "D" } },
      ],
    },
    { name: "A" },
    VERSIONS,
  );
  assert.deepEqual(names(plan), ["A", "C", "A", "D"]);
  assert.deepEqual(plan.fills.map(({ data }) => "only" in data), [false, true, false, false]);
  assert.deepEqual(plan.fills.map(({ use }) => use), [
    ["subject", "html", "text"],
    ["pdf7", "filename7"],
    ["pdf7", "filename7"],
    ["pdf8", "filename8"],
  ]);
});

test("planMessage() replaces a nested value as a whole, and fills in each template's defaults", () => {
  const versions = { email: emailVersion(), pdfs: new Map([[7, pdfVersion(7)]]) };
  const plan = planMessage(
    {
      index: 0,
      attempt: 0,
      email: "x",
      variables: { address: { zip: 1 } },
      attachments: [{ id: 7, variables: { currency: "EUR" } }],
    },
    { address: { street: "Main" } },
    versions,
  );
  const [mail, pdf] = plan.fills.map(({ data }) => ({ ...data }));
  assert.deepEqual(mail, { address: { zip: 1 }, city: "Oslo" });
  assert.deepEqual(pdf, { address: { zip: 1 }, currency: "EUR" });
});

test("planMessage() fills a mail without any variables", () => {
  const plan = planMessage({ index: 0, attempt: 0, email: "x" }, undefined, VERSIONS);
  assert.deepEqual(plan.fills.map(({ data }) => ({ ...data })), [{}]);
});

test("templatesOf() keys each part by its version, and escapes HTML only", () => {
  const templates = templatesOf(
    { email: emailVersion(), pdfs: new Map([[7, pdfVersion(7)]]) },
    new Set([undefined]),
  );
  const reported = Object.entries(templates).map(([name, { key, escape, locale }]) =>
    [name, key, escape, locale].join(" ")
  );
  assert.deepEqual(reported, [
    "subject acc_1/email/1/2/subject none en",
    "html acc_1/email/1/2/html html en",
    "text acc_1/email/1/2/text none en",
    "pdf7 acc_1/pdf/7/3/html html nb",
    "filename7 acc_1/pdf/7/3/filename none nb",
  ]);
  assert.equal(templates["filename7"]?.source, "invoice-{{ name }}.pdf");
});

const PLAN = planMessage(
  {
    index: 0,
    attempt: 0,
    email: "x",
    attachments: [{ id: 7, filename: "Mine.pdf" }, { id: 7 }],
  },
  {},
  VERSIONS,
);

function filled(subject: string): FillResult[] {
  return [
    { ok: true, parts: { subject, html: "<p>", text: "t" } },
    { ok: true, parts: { pdf7: "<h1>1", filename7: "one.pdf" } },
    { ok: true, parts: { pdf7: "<h1>2", filename7: "two.pdf" } },
  ];
}

test("readFills() reads the mail and its PDFs; a requested file name wins", () => {
  assert.deepEqual(readFills(PLAN, filled("Hello")), {
    ok: true,
    subject: "Hello",
    html: "<p>",
    text: "t",
    pdfs: [
      { templateId: 7, html: "<h1>1", filename: "Mine.pdf", values: PLAN.fills[1]?.data },
      { templateId: 7, html: "<h1>2", filename: "two.pdf", values: PLAN.fills[2]?.data },
    ],
  });
});

test("readFills() keeps line breaks out of the subject", () => {
  const message = readFills(PLAN, filled(" Hello\r\nBcc: x@example.com\n"));
  assert.equal(message.ok && message.subject, "Hello Bcc: x@example.com");
});

test("readFills() refuses a subject that is too large for its event", () => {
  assert.equal(readFills(PLAN, filled("x".repeat(MAX_SUBJECT_LENGTH))).ok, true);
  assert.deepEqual(readFills(PLAN, filled("x".repeat(MAX_SUBJECT_LENGTH + 1))), {
    ok: false,
    reason: "the subject has more than 10000 characters",
    outage: false,
  });
});

test("readFills() returns the first failure, and whether it is the sandbox's own", () => {
  const failing = (code: ConstructorParameters<typeof RenderError>[0]) => {
    const results = filled("Hello");
    results[1] = { ok: false, error: new RenderError(code, `because of ${code}`) };
    return readFills(PLAN, results);
  };
  for (const code of ["error", "timeout", "memory", "output", "data"] as const) {
    const expected = { ok: false, reason: `because of ${code}`, outage: false };
    assert.deepEqual(failing(code), expected);
  }
  for (const code of ["closed", "sandbox"] as const) {
    assert.deepEqual(failing(code), { ok: false, reason: `because of ${code}`, outage: true });
  }
});
