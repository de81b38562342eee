import assert from "node:assert/strict";
import { test } from "node:test";
import type { GivenMessage, PrintReply } from "@posthaste/contracts";
import { openLedgerApp } from "./_test_ledger_app.ts";

let asked: GivenMessage[] = [];

/** A bus whose renderer answers for a mail with one PDF, and fails for recipient 2. */
const bus = {
  ask: (type: string, { given }: { given?: GivenMessage }) => {
    if (given !== undefined) asked.push(given);
    if (type === "print.requested") return Promise.resolve(printed);
    if (type !== "content.requested") return Promise.resolve(undefined);
    if (given?.recipient.index === 2) {
      return Promise.resolve({ ok: false, reason: "no such helper" });
    }
    return Promise.resolve({
      ok: true,
      parts: { subject: "Hi", html: { inline: "<p>Hi</p>" }, text: { inline: "Hü" } },
      pdfs: [{ filename: "invoice ü.pdf", html: { inline: "x" }, page }],
    });
  },
  objects: (store: string) => ({
    get: (key: string) => Promise.resolve(Buffer.from(`${store}/${key}`)),
  }),
};

let printed: PrintReply | undefined;
let page: { missingGlyphs?: "fail" } = {};
const PRINTED: PrintReply = { ok: true, key: "abc", size: 8, blocked: [] };

const FROM = { email: "shop@example.com" };
const MAIL = {
  variables: { company: "Shop", number: 1 },
  to: [
    {
      ...{ email: "a@example.net", reference: "order-1", variables: { note: null, name: "A" } },
      attachments: [{ id: 1, variables: { number: 2 } }, { id: 1, filename: "x.pdf" }],
    },
    { email: "b@example.net" },
    { email: "c@example.net" },
  ],
};

test("a mail is shown as it was sent, only to its account and with read:content", async () => {
  await using api = await openLedgerApp({ bus: bus as never });
  const { id, messages: [message] } = await api.send({
    to: [{ email: "a@example.net", attachments: [{ id: 1 }] }],
  });
  const path = `/v1/messages/${message?.id}`;
  const { status, body } = await api.ask(`${path}/content`);
  assert.equal(status, 200);
  assert.deepEqual(body, {
    ...{ subject: "Hi", html: "<p>Hi</p>", text: "Hü" },
    variant: null,
    attachments: [{ index: 0, filename: "invoice ü.pdf", bytes: null }],
  });
  const content = `${path}/content`;
  assert.equal((await api.ask(content, { isOther: true })).status, 404);
  assert.equal((await api.ask(content, { scopes: ["read", "list"] })).status, 403);
  await api.end(id, 0, "sent");
  const now = new Date();
  await api.store.sends.settle([{ _id: id }], now);
  const before = new Date(now.getTime() + 1000);
  await api.store.retention.removeContents({ accountId: api.accountId, before, limit: 1000, now });
  const gone = await api.ask(`${path}/content`);
  assert.deepEqual([gone.status, gone.body.code], [410, "content_removed"]);
  assert.ok(gone.body.error.includes(now.toISOString().slice(0, 10)));
});

test("dryRun() checks like a send, fills some of its mails, and stores nothing", async () => {
  await using api = await openLedgerApp({ bus: bus as never });
  const path = "/v1/templates/1/send/1/dry-run";
  const post = (query: string, body: unknown = { from: FROM, ...MAIL }, options = {}) =>
    api.ask(`${path}${query}`, { method: "POST", body, ...options });
  asked = [];
  const { status, body } = await post("?recipients=0,1");
  assert.equal(status, 200);
  assert.equal(body.message, "3 emails would be put in the queue");
  assert.deepEqual(body.template, { id: 1, version: 1 });
  const [first, second] = body.messages;
  assert.deepEqual(first, {
    ...{
      index: 0,
      email: "a@example.net",
      subject: "Hi",
      html: "<p>Hi</p>",
      text: "Hü",
      bytes: 14,
    },
    variant: null,
    variables: { name: "recipient", company: "top", note: "missing" },
    attachments: [
      {
        ...{ index: 0, id: 1, filename: "invoice ü.pdf", variant: null },
        variables: { number: "attachment" },
      },
      { index: 1, id: 1, filename: "", variant: null, variables: { number: "top" } },
    ],
  });
  assert.deepEqual(second.variables, { name: "default", company: "top", note: "missing" });
  assert.deepEqual(asked.map(({ recipient }) => recipient.index), [0, 1]);
  assert.equal((await post("")).body.messages.length, 1);
  assert.equal((await api.ask("/v1/sends")).body.data.length, 0);

  const failed = await post("?recipients=2");
  assert.deepEqual([failed.status, failed.body.code], [422, "template_failed"]);
  for (const query of ["?recipients=3", "?recipients=x", "?recipients=0,1,2,3,4,5,6,7,8,9,10"]) {
    const refused = await post(query);
    assert.equal(refused.status, 400, query);
    assert.equal(refused.body.issues[0].path, "recipients");
  }
  const sent = { from: { email: "other@example.com" }, to: [{ email: "x" }] };
  const [tried, real] = [
    await post("", sent),
    await api.ask("/v1/templates/1/send/1", {
      ...{ method: "POST", body: sent },
    }),
  ];
  assert.deepEqual([tried.status, tried.body], [real.status, real.body]);
  const faulty = [
    { headers: { Bcc: "x@example.net" } },
    { attachments: [{ content: "YQ==", filename: "a.exe", contentType: "text/plain" }] },
    { attachments: [{ asset: "none" }] },
  ];
  for (const more of faulty) {
    assert.equal((await post("", { from: FROM, ...MAIL, ...more })).status, 400);
  }
  const large = {
    from: FROM,
    to: [{ email: "a@example.net", variables: { x: "y".repeat(600_000) } }],
  };
  assert.equal((await post("", large)).status, 413);
  assert.equal((await post("", undefined, { scopes: ["read", "render"] })).status, 403);
  assert.equal((await post("", undefined, { isOther: true })).status, 200);
});

test("explainMessage() reports which level set each variable, as long as they are kept", async () => {
  await using api = await openLedgerApp({ bus: bus as never });
  const { id, messages: [message] } = await api.send({ ...MAIL, to: MAIL.to.slice(0, 1) });
  const path = `/v1/messages/${message?.id}/explain`;
  const { body } = await api.ask(path);
  assert.deepEqual(body, {
    ...{ id: message?.id, template: { id: 1, version: 1 } },
    variant: null,
    variables: { name: "recipient", company: "top", note: "missing" },
    attachments: [
      { index: 0, id: 1, version: 1, variant: null, variables: { number: "attachment" } },
      { index: 1, id: 1, version: 1, variant: null, variables: { number: "top" } },
    ],
  });
  const { body: valued } = await api.ask(`${path}?values=true`);
  assert.deepEqual(valued.values, { name: "A", company: "Shop", note: null });
  assert.deepEqual(valued.attachments.map((one: typeof valued) => one.values), [
    ...[{ number: 2 }, { number: 1 }],
  ]);
  assert.equal((await api.ask(path, { isOther: true })).status, 404);
  assert.equal((await api.ask(path, { scopes: ["read"] })).status, 403);
  assert.equal((await api.ask(`${path}?values=yes`)).status, 400);
  await api.end(id, 0, "sent");
  const now = new Date();
  await api.store.sends.settle([{ _id: id }], now);
  const before = new Date(now.getTime() + 1000);
  await api.store.retention.removeContents({ accountId: api.accountId, before, limit: 1000, now });
  const gone = await api.ask(path);
  assert.deepEqual([gone.status, gone.body.code], [410, "content_removed"]);
});

test("the files of a message follow its PDFs, as they were sent, while its content is kept", async () => {
  await using api = await openLedgerApp({ bus: bus as never });
  const fileOf = (text: string, contentType: string) => ({
    ...{ content: Buffer.from(text).toString("base64"), filename: `${text}.html`, contentType },
  });
  const { id, messages } = await api.send({
    to: [
      { email: "a@example.net", attachments: [fileOf("own", "text/html"), { id: 1 }] },
      { email: "b@example.net" },
    ],
    attachments: [fileOf("all", "text/plain; charset=utf-8")],
  });
  const [own, other] = messages.map((message) => `/v1/messages/${message.id}/attachments`);
  const { body: { attachments } } = await api.ask(`/v1/messages/${messages[0]?.id}/content`);
  assert.deepEqual(attachments, [
    // Its size is not known before it is printed.
    { index: 0, filename: "invoice ü.pdf", bytes: null },
    { index: 1, filename: "own.html", bytes: 3 },
    { index: 2, filename: "all.html", bytes: 3 },
  ]);
  const read = async (path: string) => {
    const { status, headers, bytes } = await api.ask(path);
    assert.match(String(headers["content-disposition"]), /^attachment; /);
    assert.equal(headers["x-content-type-options"], "nosniff");
    return [status, headers["content-type"], String(Buffer.from(bytes))];
  };
  assert.deepEqual(await read(`${own}/1`), [200, "text/html", "own"]);
  assert.deepEqual(await read(`${own}/2`), [200, "text/plain; charset=utf-8", "all"]);
  assert.deepEqual(await read(`${other}/0`), [200, "text/plain; charset=utf-8", "all"]);
  for (const path of [`${own}/3`, `${other}/1`, `${own}/-1`, `${own}/x`]) {
    assert.equal((await api.ask(path)).body.code, "unknown_attachment", path);
  }
  assert.equal((await api.ask(`${own}/1`, { isOther: true })).status, 404);
  assert.equal((await api.ask(`${own}/1`, { scopes: ["read", "list"] })).status, 403);
  for (const index of [0, 1]) await api.end(id, index, "sent");
  const now = new Date();
  await api.store.sends.settle([{ _id: id }], now);
  const before = new Date(now.getTime() + 1000);
  await api.store.retention.removeContents({ accountId: api.accountId, before, limit: 1000, now });
  const gone = await api.ask(`${own}/1`);
  assert.deepEqual([gone.status, gone.body.code], [410, "content_removed"]);
});

test("the PDFs of a message, and of a template, are printed for who may see them", async () => {
  await using api = await openLedgerApp({ bus: bus as never });
  const { messages: [message] } = await api.send({ ...MAIL, to: MAIL.to.slice(0, 1) });
  const attachment = `/v1/messages/${message?.id}/attachments/0`;
  const render = (body: unknown, options = {}) =>
    api.ask("/v1/pdf-templates/1/render", { method: "POST", body, ...options });
  printed = PRINTED;
  for (const answer of [await api.ask(attachment), await render({ number: 1 })]) {
    assert.equal(answer.status, 200);
    assert.equal(answer.headers["content-type"], "application/pdf");
    assert.match(
      String(answer.headers["content-disposition"]),
      /^attachment; .*invoice%20%C3%BC.pdf$/,
    );
    assert.equal(String(Buffer.from(answer.bytes)), "pdfs/abc");
  }
  const codes = async () => {
    const answers = [await api.ask(attachment), await render({})];
    return answers.map(({ status, body }) => `${status} ${body?.code}`);
  };
  printed = undefined;
  assert.deepEqual(await codes(), Array(2).fill("504 print_timeout"));
  printed = { ok: false, reason: "the printer was busy", timedOut: true };
  assert.deepEqual(await codes(), Array(2).fill("504 print_timeout"));
  printed = { ok: false, reason: "it has 501 pages" };
  assert.deepEqual(await codes(), Array(2).fill("422 template_failed"));
  // What an operator may allow as PDF_LIMIT, and what none may.
  printed = { ...PRINTED, size: 50_000_000 };
  assert.deepEqual(await codes(), Array(2).fill("200 undefined"));
  printed = { ...PRINTED, size: 50_000_001 };
  assert.deepEqual(await codes(), Array(2).fill("422 template_failed"));
  // A blocked request fails the PDF of a template, but not that of a message.
  printed = { ...PRINTED, blocked: ["http://example.com/x.png"] };
  assert.deepEqual(await codes(), ["200 undefined", "422 template_failed"]);
  // A character without a glyph has the same effect if the template forbids it.
  printed = { ...PRINTED, missingGlyphs: ["U+E123"] };
  assert.deepEqual(await codes(), Array(2).fill("200 undefined"));
  page = { missingGlyphs: "fail" };
  assert.deepEqual(await codes(), ["200 undefined", "422 template_failed"]);
  page = {};

  printed = PRINTED;
  const none = `/v1/messages/${message?.id}/attachments/2`;
  assert.equal((await api.ask(none)).body.code, "unknown_attachment");
  assert.equal((await api.ask(attachment, { isOther: true })).status, 404);
  assert.equal((await api.ask(attachment, { scopes: ["read", "render"] })).status, 403);
  const unknown = await api.ask("/v1/pdf-templates/9/render", { method: "POST", body: {} });
  assert.deepEqual([unknown.status, unknown.body.code], [404, "unknown_pdf_template"]);
  assert.equal((await render({}, { scopes: ["read:content", "send"] })).status, 403);
  assert.equal((await render([])).status, 400);
});

test("reads of a message's content by a token are in the audit log, by the token's name", async () => {
  await using api = await openLedgerApp({ bus: bus as never });
  printed = PRINTED;
  const file = { content: "YQ==", filename: "a.txt", contentType: "text/plain" };
  const { messages: [message] } = await api.send({
    ...{ ...MAIL, to: MAIL.to.slice(0, 1) },
    attachments: [file],
  });
  const path = `/v1/messages/${message?.id}`;
  for (const asked of ["content", "attachments/0", "attachments/2", "explain?values=true"]) {
    assert.equal((await api.ask(`${path}/${asked}`)).status, 200, asked);
  }
  for (const asked of ["attachments/9", "explain"]) await api.ask(`${path}/${asked}`);
  await api.ask(`${path}/content`, { isOther: true });
  await api.ask(`${path}/content`, { scopes: ["read"] });
  const lines = await api.store.audit.list(api.accountId, { limit: 100 });
  const read = lines.filter(({ action }) => action === "message.read").reverse();
  assert.deepEqual(read.map(({ details: { by: _, ...rest } }) => rest), [
    ...[{}, { pdf: 1 }, { file: "a.txt" }, { values: true }],
  ]);
  for (const { target, userId, details } of read) {
    assert.deepEqual([target, userId], [`message ${message?.id}`, null]);
    assert.match(String(details["by"]), /^token ".*send.*" \(ph_.+…\)$/);
  }
});

test("a message's content is not shown if the read cannot be written to the audit log", async () => {
  await using api = await openLedgerApp({
    bus: bus as never,
    audit: { note: () => Promise.reject(new Error("the primary is gone")) },
  });
  const { messages: [message] } = await api.send({ ...MAIL, to: MAIL.to.slice(0, 1) });
  for (const asked of ["content", "attachments/0", "explain?values=true"]) {
    const { status, body } = await api.ask(`/v1/messages/${message?.id}/${asked}`);
    assert.deepEqual([status, body.code], [503, "unavailable"], asked);
  }
});
