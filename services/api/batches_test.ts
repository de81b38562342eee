import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { MAX_BATCH_RECIPIENTS, type TokenScope } from "@posthaste/contracts";
import { until } from "@posthaste/kit";
import { type LedgerApp, openLedgerApp } from "./_test_ledger_app.ts";

let app: LedgerApp;
before(async () => void (app = await openLedgerApp()));
after(() => app[Symbol.asyncDispose]());

const FROM = { email: "shop@example.com" };
const SHARED = { templateId: 1, integrationId: 1, from: FROM };

interface Options {
  key?: string;
  scopes?: readonly TokenScope[];
  isOther?: boolean;
}

function post(path: string, body: unknown, { key, ...rest }: Options = {}) {
  const headers: Record<string, string> = key === undefined ? {} : { "idempotency-key": key };
  return app.ask(path, { method: "POST", body, headers, ...rest });
}

let keys = 0;
const newKey = () => `key-${keys++}`;

async function openBatch(changes: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await post("/v1/batches", { ...SHARED, ...changes });
  assert.equal(status, 200, JSON.stringify(body));
  return body.id;
}

function to(...names: string[]) {
  return { to: names.map((name) => ({ email: `${name}@example.net`, variables: { name } })) };
}

function add(id: string, body: unknown, options: Options = {}) {
  return post(`/v1/batches/${id}/recipients`, body, { key: newKey(), ...options });
}

test("POST /v1/batches opens a batch, and GET shows it", async () => {
  const { status, body, headers } = await post("/v1/batches", SHARED, { key: newKey() });
  assert.equal(status, 200);
  assert.equal(headers["idempotent-replayed"], "false");
  assert.match(body.id, /^bat_/);
  const { id, createdAt, closesAt } = body;
  assert.equal(Date.parse(closesAt) - Date.parse(createdAt), 24 * 3_600_000);
  const head = {
    ...{ id, state: "open", start: "close", createdAt, closesAt, endedAt: null, sendAt: null },
    ...{ template: { id: 1, version: 1 }, integrationId: 1, recipients: 0, sends: 0 },
  };
  assert.deepEqual(body, head);
  const shown = await app.ask(`/v1/batches/${id}`);
  assert.deepEqual(shown.body, { ...head, states: {}, settled: false });
});

test("POST /v1/batches answers a repetition with the same batch, and another body with 422", async () => {
  const key = newKey();
  const first = await post("/v1/batches", SHARED, { key });
  const again = await post("/v1/batches", SHARED, { key });
  assert.deepEqual(again.body, first.body);
  assert.equal(again.headers["idempotent-replayed"], "true");
  const other = await post("/v1/batches", { ...SHARED, start: "now" }, { key });
  assert.deepEqual([other.status, other.body.code], [422, "idempotency_mismatch"]);
  // A key of a send is no key of a batch.
  const sendKey = newKey();
  const path = "/v1/templates/1/send/1";
  await post(path, { from: FROM, ...to("ann") }, { key: sendKey });
  assert.equal((await post("/v1/batches", SHARED, { key: sendKey })).status, 422);
  assert.equal((await post(path, { from: FROM, ...to("ann") }, { key })).status, 422);
});

test("POST /v1/batches refuses faults, and what a token may not use", async () => {
  const codeOf = async (changes: Record<string, unknown>, options: Options = {}) => {
    const { status, body } = await post("/v1/batches", { ...SHARED, ...changes }, options);
    return [status, body.code];
  };
  assert.deepEqual(await codeOf({ templateId: 9 }), [404, "unknown_template"]);
  assert.deepEqual(await codeOf({ integrationId: 9 }), [404, "unknown_integration"]);
  assert.deepEqual(await codeOf({ from: { email: "eve@example.com" } }), [
    ...[400, "sender_not_allowed"],
  ]);
  assert.deepEqual(await codeOf(to("ann")), [400, "invalid_request"]);
  assert.deepEqual(await codeOf({ start: "later" }), [400, "invalid_request"]);
  assert.deepEqual(await codeOf({ sendAt: "2001-01-01T00:00:00Z" }), [400, "invalid_request"]);
  assert.deepEqual(await codeOf({ subject: "x\r\nBcc: eve@example.com" }), [
    ...[400, "invalid_request"],
  ]);
  assert.deepEqual(await codeOf({ headers: { "X-Shop": "a\r\nBcc: eve@example.com" } }), [
    ...[400, "invalid_request"],
  ]);
  const big = { text: "x".repeat(300_000) };
  assert.deepEqual(await codeOf({ variables: big }), [400, "invalid_request"]);
  assert.deepEqual(await codeOf({}, { scopes: ["read"] }), [403, "missing_scope"]);
  // Null is as good as absent.
  assert.deepEqual(await codeOf({ sendAt: null, start: null, variables: null }), [200, undefined]);
});

test("POST /v1/batches/{id}/recipients accepts a held send with what the batch shares", async () => {
  const id = await openBatch({ variables: { company: "Shop" }, tags: ["news"] });
  const { status, body, headers } = await add(id, to("ann", "ben"));
  assert.equal(status, 200);
  assert.equal(headers["idempotent-replayed"], "false");
  assert.deepEqual(body.messages.map(({ email }: { email: string }) => email), [
    ...["ann@example.net", "ben@example.net"],
  ]);
  const send = await app.store.sends.find(app.accountId, body.id);
  assert.equal(send?.batchId, id);
  assert.equal(send?.held, true);
  assert.equal(send?.priority, "bulk");
  assert.deepEqual(send?.request.variables, { company: "Shop" });
  assert.deepEqual(send?.request.tags, ["news"]);
  const shown = await app.ask(`/v1/sends/${body.id}`);
  assert.deepEqual([shown.body.batchId, shown.body.states], [id, { scheduled: 2 }]);
  const batch = await app.ask(`/v1/batches/${id}`);
  assert.deepEqual([batch.body.recipients, batch.body.sends], [2, 1]);
  assert.deepEqual(batch.body.states, { scheduled: 2 });
});

test("POST /v1/batches/{id}/recipients needs a key, and adds nobody twice under it", async () => {
  const id = await openBatch();
  const path = `/v1/batches/${id}/recipients`;
  const without = await post(path, to("ann"));
  assert.deepEqual([without.status, without.body.code], [400, "idempotency_key_required"]);
  const key = newKey();
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => post(path, to("ann", "ben"), { key })),
  );
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  assert.equal(new Set(answers.map(({ body }) => body.id)).size, 1);
  assert.equal((await post(path, to("cid"), { key })).status, 422);
  // The same key and body for another batch is another request.
  const other = await openBatch();
  assert.equal((await add(other, to("ann", "ben"), { key })).status, 422);
  await post(`/v1/batches/${id}/close`, undefined);
  const late = await post(path, to("ann", "ben"), { key });
  assert.deepEqual([late.status, late.body.id], [200, answers[0]?.body.id]);
  assert.equal(late.headers["idempotent-replayed"], "true");
  assert.equal((await app.ask(`/v1/batches/${id}`)).body.recipients, 2);
});

test("POST /v1/batches/{id}/recipients refuses a part as a whole, and then takes it mended", async () => {
  const id = await openBatch();
  const faulty = { to: [...to("ann").to, { email: "no address" }] };
  const refused = await add(id, faulty);
  assert.deepEqual([refused.status, refused.body.issues[0].path], [400, "to.1.email"]);
  for (const more of [{ from: FROM }, { variables: {} }, { sendAt: "2099-01-01T00:00:00Z" }]) {
    assert.equal((await add(id, { ...to("ann"), ...more })).status, 400);
  }
  assert.equal((await add(id, { to: [] })).status, 400);
  const many = Array.from({ length: 1001 }, (_, n) => `r${n}`);
  assert.equal((await add(id, to(...many))).status, 400);
  assert.equal((await app.ask(`/v1/batches/${id}`)).body.recipients, 0);
  // A refused part has not used its key.
  const key = newKey();
  assert.equal((await add(id, faulty, { key })).status, 400);
  assert.equal((await add(id, to("ann"), { key })).status, 200);
  // An address in two parts gets two mails.
  assert.equal((await add(id, to("ann"))).status, 200);
  assert.equal((await app.ask(`/v1/batches/${id}`)).body.states.scheduled, 2);
});

test("POST /v1/batches/{id}/recipients refuses an ended or a full batch", async () => {
  const closed = await openBatch();
  await post(`/v1/batches/${closed}/close`, undefined);
  const late = await add(closed, to("ann"));
  assert.deepEqual([late.status, late.body.code], [409, "batch_closed"]);
  const batch = await app.store.batches.find(app.accountId, await openBatch());
  assert.ok(batch);
  const full = {
    ...batch,
    _id: batch._id.replace(/.{4}$/, "zzzz"),
    recipients: MAX_BATCH_RECIPIENTS,
  };
  await app.store.batches.create(full, undefined);
  const more = await add(full._id, to("ann"));
  assert.deepEqual([more.status, more.body.code], [409, "batch_full"]);
});

test("a batch keeps its template's version and the first version of each PDF template", async () => {
  const { accountId, store } = app;
  const id = await openBatch();
  const pdf = { to: [{ email: "ann@example.net", attachments: [{ id: 1 }] }] };
  const sendOf = async () => {
    const { body } = await add(id, pdf);
    return await store.sends.find(accountId, body.id);
  };
  const first = await sendOf();
  const [email, invoice] = [
    await store.templates.findVersion(accountId, "email", 1, 1),
    await store.templates.findVersion(accountId, "pdf", 1, 1),
  ];
  assert.ok(email && invoice);
  const { kind: _email, source, parts, name, variables } = email;
  const base = { accountId, id: 1, sourceHash: "2", variables };
  await store.templates.publish({ ...base, kind: "email", name, source, parts });
  const { source: html, parts: printed, page } = invoice;
  await store.templates.publish({
    ...{ ...base, kind: "pdf", name: "Invoice" },
    ...{ source: html, parts: printed, page },
  });
  // Another send uses them already.
  await until(async () => {
    const { id } = await app.send(pdf);
    const send = await store.sends.find(accountId, id);
    return send?.pdfVersions[1] === 2 && send.template.version === 2;
  }, { message: "the new versions" });
  const second = await sendOf();
  assert.deepEqual(second?.template, { id: 1, version: 1 });
  assert.deepEqual([first?.pdfVersions, second?.pdfVersions], [{ 1: 1 }, { 1: 1 }]);
  const unknown = await add(id, {
    to: [{ email: "ann@example.net", attachments: [{ id: 99 }] }],
  });
  assert.deepEqual([unknown.status, unknown.body.code], [400, "unknown_pdf_template"]);
});

test("every mail of a batch carries its files, beside the recipient's own", async () => {
  const file = (text: string) => ({
    ...{ content: Buffer.from(text).toString("base64"), filename: `${text}.txt` },
    contentType: "text/plain",
  });
  const id = await openBatch({ attachments: [file("terms")] });
  const own = { email: "ann@example.net", attachments: [file("own")] };
  const { status, body } = await add(id, { to: [own, ...to("ben").to] });
  assert.equal(status, 200);
  const send = await app.store.sends.find(app.accountId, body.id);
  assert.deepEqual(send?.request.files?.map(({ filename }) => filename), ["terms.txt"]);
  assert.deepEqual(send?.request.to[0]?.files?.map(({ filename }) => filename), ["own.txt"]);
  const [terms] = send?.request.files ?? [];
  assert.ok(terms && await app.store.assets.find(app.accountId, terms.sha256));
});

test("POST /v1/batches/{id}/close and /cancel may be repeated", async () => {
  const id = await openBatch();
  const ended = async (verb: string, options: Options = {}) => {
    const { status, body } = await post(`/v1/batches/${id}/${verb}`, undefined, options);
    return [status, body.state ?? body.code];
  };
  assert.deepEqual(await ended("close", { scopes: ["read", "manage:messages"] }), [
    ...[403, "missing_scope"],
  ]);
  assert.deepEqual(await ended("close"), [200, "closed"]);
  assert.deepEqual(await ended("close"), [200, "closed"]);
  assert.deepEqual(await ended("cancel", { scopes: ["send"] }), [403, "missing_scope"]);
  assert.deepEqual(await ended("cancel"), [200, "canceled"]);
  assert.deepEqual(await ended("cancel"), [200, "canceled"]);
  assert.deepEqual(await ended("close"), [409, "batch_closed"]);
  const audit = await app.store.audit.list(app.accountId, { limit: 9 });
  assert.equal(audit.filter(({ action }) => action === "batch.canceled").length, 1);
});

test("a batch of another account is unknown", async () => {
  const id = await openBatch();
  const isOther = true;
  for (const each of [id, "bat_x", "%00", "snd_1"]) {
    const answers = [
      await app.ask(`/v1/batches/${each}`, { isOther }),
      await add(each, to("ann"), { isOther }),
      await post(`/v1/batches/${each}/close`, undefined, { isOther }),
      await post(`/v1/batches/${each}/cancel`, undefined, { isOther }),
    ];
    for (const { status, body } of answers) {
      assert.deepEqual([status, body.code], [404, "unknown_batch"]);
    }
  }
  assert.deepEqual((await app.ask("/v1/batches", { isOther })).body.data, []);
  assert.equal((await app.ask(`/v1/batches/${id}`)).body.state, "open");
  assert.equal((await app.ask("/v1/batches", { scopes: ["read"] })).status, 403);
});

test("GET /v1/batches lists batches page by page, and by state", async () => {
  const all: string[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const { body } = await app.ask(`/v1/batches?limit=5${cursor && `&cursor=${cursor}`}`);
    all.push(...body.data.map(({ id }: { id: string }) => id));
    cursor = body.next;
  }
  assert.deepEqual(all, [...new Set(all)].toSorted().toReversed());
  const { body } = await app.ask("/v1/batches?state=canceled&limit=100");
  assert.ok(body.data.length > 0);
  assert.ok(body.data.every(({ state }: { state: string }) => state === "canceled"));
});

test("sends and messages are found by their batch, and canceled by it", async () => {
  const id = await openBatch();
  await add(id, to("ann", "ben"));
  await add(id, to("cid"));
  await add(await openBatch(), to("dan"));
  const sends = await app.ask(`/v1/sends?batchId=${id}`);
  assert.equal(sends.body.data.length, 2);
  assert.ok(sends.body.data.every(({ batchId }: { batchId: string }) => batchId === id));
  const messages = await app.ask(`/v1/messages?batchId=${id}&state=scheduled`);
  assert.equal(messages.body.data.length, 3);
  const other = await app.ask(`/v1/sends?batchId=${id}`, { isOther: true });
  assert.deepEqual(other.body.data, []);
  const canceled = await post("/v1/messages/cancel", { filter: { batchId: id } });
  assert.deepEqual(canceled.body, { canceled: 3, remaining: 0 });
});

test("POST /v1/batches schedules a batch that starts now for its time", async () => {
  const sendAt = new Date(Date.now() + 3_600_000).toISOString();
  const id = await openBatch({ start: "now", sendAt });
  const { body } = await add(id, to("ann"));
  const send = await app.store.sends.find(app.accountId, body.id);
  assert.deepEqual([send?.held, send?.next], [undefined, 0]);
  assert.equal(send?.notBefore?.toISOString(), sendAt);
});

test("POST …/recipients needs the scope send:suppressed for mail that ignores the suppression list", async () => {
  for (const [shared, part] of [[{ toSuppressed: true }, {}], [{}, { toSuppressed: true }]]) {
    const id = await openBatch(shared);
    const [one] = to("ann").to;
    const body = { to: [{ ...one, ...part }] };
    const refused = await add(id, body, { scopes: ["send"] });
    assert.deepEqual([refused.status, refused.body.code], [403, "missing_scope"]);
    assert.equal((await add(id, body, { scopes: ["send", "send:suppressed"] })).status, 200);
  }
});
