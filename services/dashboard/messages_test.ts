import { messageIdOf, pageOptionsSchema, type Send } from "@posthaste/contracts";
import { endAttempt, takeAttempt, testSend, until, voidAttempt } from "@posthaste/kit";
import { newSubjectKey } from "@posthaste/storage";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openTestDashboard, type TestDashboard } from "./_test_dashboard.ts";
import type { DashboardDeps } from "./dashboard_deps.ts";
import { SESSION_COOKIE } from "./guard.ts";

let dashboard: TestDashboard;
const asked: unknown[] = [];

const objects: DashboardDeps["bus"]["objects"] = (name) => ({
  sizeOf: () => Promise.resolve(undefined),
  get: (key) => Promise.resolve(key === "gone" ? undefined : Buffer.from(`${name}:${key}`)),
  put: () => Promise.resolve(),
});

/** Answers like renderer and printer. */
const ask = ((type: string, data: unknown) => {
  asked.push({ type, data });
  const html = { inline: "<p>PDF</p>" };
  const pdfs = [{ templateId: 3, filename: "Invoice ü.pdf", html, page: {} }];
  const parts = { subject: "Hello", html: { key: "large" }, text: { inline: "Hi" } };
  return Promise.resolve(
    type === "content.requested"
      ? { ok: true, parts, pdfs }
      : { ok: true, key: "abc", size: 1, blocked: [] },
  );
}) as DashboardDeps["bus"]["ask"];

before(async () => {
  dashboard = await openTestDashboard({ bus: { ask, objects } });
});
after(() => dashboard?.[Symbol.asyncDispose]());

const TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

/** Accepts a send to `messageCount` recipients. */
async function accept(messageCount: number, changes: Partial<Send> = {}): Promise<Send> {
  const to = Array.from({ length: messageCount }, (_, index) => ({
    email: `r${index}@example.com`,
    name: `R ${index}`,
    attachments: [{ id: 3, filename: "invoice.pdf", variables: { secret: "x" } }],
  }));
  const send = testSend({
    ...{ accountId: dashboard.own.accountId, acceptedAt: new Date(), trace: TRACE },
    ...{ template: { id: 1, version: 2 }, request: { from: { email: "shop@example.com" }, to } },
    ...changes,
  });
  await dashboard.store.sends.accept(send);
  return send;
}

const REPLY = { code: 550, enhanced: "5.1.1", response: "550 5.1.1 mailbox unknown" };
const REASON = "The SMTP server refused the recipient";

async function fail(send: Send, index: number): Promise<string> {
  const messageId = messageIdOf(send._id, index);
  const now = new Date();
  const outcome = { messageId, attempt: 1, at: now, reply: REPLY, durationMs: 42 };
  await voidAttempt(dashboard.store, "failed", { ...outcome, reason: REASON });
  return messageId;
}

test("GET /api/messages lists by filters, and refuses what it cannot read", async () => {
  const { own: { viewer }, foreign } = dashboard;
  const id = await fail(await accept(2), 1);
  const query = `reason=${encodeURIComponent(REASON)}&code=550&enhanced=5.1.1&email=r1*&text=`;
  const { body } = await viewer.get(`/api/messages?state=failed,unknown&${query}`);
  assert.deepEqual(body.rows.map((row: { id: string }) => row.id), [id]);
  const [row] = body.rows;
  assert.equal(row.reason, REASON);
  assert.deepEqual(row.reply, REPLY);
  assert.deepEqual([row.recipients, row.hasPdfs], [2, true]);
  for (const bad of ["state=lost", "template=x", "from=yesterday"]) {
    const { status, body } = await viewer.get(`/api/messages?${bad}`);
    assert.equal(status, 400, bad);
    assert.equal(body.issues[0].path, bad.split("=")[0]);
  }
  assert.deepEqual((await foreign.viewer.get("/api/messages")).body.rows, []);
});

test("GET /api/messages finds a waiting message by its address, with its reason and its place in line", async () => {
  const { own: { viewer, accountId }, store } = dashboard;
  const waiting = async (messageCount: number, domain: string) => {
    const to = Array.from({ length: messageCount }, (_, n) => ({ email: `r${n}@${domain}` }));
    const request = { from: { email: "shop@example.com" }, to };
    const bulk = { priority: "bulk" as const, next: 0, integrationId: 7, request };
    const send = await accept(messageCount, bulk);
    await store.waiting.queueSend({ _id: send._id, accountId, integrationId: 7 });
    return send;
  };
  await waiting(20, "first.example");
  const send = await waiting(3, "second.example");
  const { body } = await viewer.get("/api/messages?email=R2@second.example");
  const reason = "Other messages of this integration go first";
  assert.deepEqual(
    body.rows.map(({ state, waiting }: Record<string, unknown>) => [state, waiting]),
    [["queued", { reason, ahead: 22 }]],
  );
  const id = messageIdOf(send._id, 2);
  const idsFor = async (typed: string) => {
    const { body } = await viewer.get(`/api/messages?email=${encodeURIComponent(typed)}`);
    return body.rows.map((row: { id: string }) => row.id);
  };
  // Any part of an address, a message's id, a send's id.
  const all = [2, 1, 0].map((index) => messageIdOf(send._id, index));
  assert.deepEqual(await idsFor("COND.exam"), all);
  assert.deepEqual(await idsFor("2@second"), [id]);
  assert.deepEqual(await idsFor(id), [id]);
  assert.deepEqual(await idsFor(send._id), all);
  assert.deepEqual(await idsFor("msg_nothing"), []);
  assert.deepEqual((await viewer.get(`/api/messages/${id}`)).body.waiting, { reason, ahead: 22 });
  await takeAttempt(store, { messageId: id, attempt: 1 });
  const sending = await viewer.get("/api/messages?state=sending&email=r2@second.example");
  assert.deepEqual(
    sending.body.rows.map(({ state, waiting }: Record<string, unknown>) => [state, waiting]),
    [["sending", null]],
  );
  assert.equal(
    (await viewer.get(`/api/messages?state=queued&send=${send._id}`)).body.rows.length,
    2,
  );
});

test("GET /api/messages/:id shows the history of a message, step by step", async () => {
  const { own: { viewer }, foreign } = dashboard;
  const id = await fail(await accept(1, { pdfVersions: { 3: 2 } }), 0);
  const { body } = await viewer.get(`/api/messages/${id}`);
  assert.equal(body.traceId, "0af7651916cd43dd8448eb211c80319c");
  assert.equal(body.name, "R 0");
  assert.deepEqual(body.attachments, [
    { id: 3, version: 2, name: null, filename: "invoice.pdf" },
  ]);
  assert.equal(body.hasPdfs, true);
  assert.deepEqual([body.canRetry, body.canCancel, body.contentDays], [true, false, 7]);
  const steps = body.timeline.map((
    { type, durationMs, detail }: Record<string, unknown>,
  ) => [type, durationMs, detail]);
  assert.deepEqual(steps, [
    ["queued", null, null],
    ["failed", 42, REASON],
  ]);
  assert.equal(body.timeline[0].sinceMs, null);
  assert.ok(body.timeline[1].sinceMs >= 0);
  for (const path of [id, `${id}/content`, `${id}/pdfs/0`, "msg_1"]) {
    assert.equal((await foreign.viewer.get(`/api/messages/${path}`)).status, 404, path);
  }
});

test("GET /api/messages/:id names the templates of its PDFs, with the versions as sent", async () => {
  const { own: { viewer, accountId }, store } = dashboard;
  const parts = { html: "<p>Ticket", filename: "ticket.pdf" };
  const { template: { id: ticketId } } = await store.templates.publish({
    ...{ accountId, kind: "pdf", alias: "ticket", name: "Ticket", variables: [] },
    ...{ sourceHash: "1", source: { html: parts.html }, parts, page: pageOptionsSchema.parse({}) },
  });
  const attachments = [{ id: ticketId }, { id: ticketId, filename: "other.pdf" }];
  const to = [{ email: "ann@example.com", attachments }];
  const request = { from: { email: "shop@example.com" }, to };
  const send = await accept(1, { request, pdfVersions: { [ticketId]: 1 } });
  const { body } = await viewer.get(`/api/messages/${messageIdOf(send._id, 0)}`);
  const ticket = { id: ticketId, version: 1, name: "Ticket" };
  assert.deepEqual(body.attachments, [
    { ...ticket, filename: null },
    { ...ticket, filename: "other.pdf" },
  ]);
});

test("GET /api/messages/:id/content returns the mail as it was filled, and its PDFs", async () => {
  const { own: { viewer } } = dashboard;
  const send = await accept(2);
  const id = messageIdOf(send._id, 1);
  const { body } = await viewer.get(`/api/messages/${id}/content`);
  assert.deepEqual(body, {
    ...{ subject: "Hello", html: "contents:large", text: "Hi" },
    pdfs: [{ filename: "Invoice ü.pdf" }],
  });
  const { accountId } = send;
  assert.deepEqual(asked.at(-1), {
    type: "content.requested",
    data: { v: 2, accountId, sendId: send._id, index: 1, namesOnly: true },
  });
  const pdf = await viewer.get(`/api/messages/${id}/pdfs/0`);
  assert.equal(pdf.headers["content-type"], "application/pdf");
  assert.match(String(pdf.headers["content-disposition"]), /^inline; .*Invoice%20%C3%BC\.pdf$/);
  assert.equal(pdf.text, "pdfs:abc");
  assert.equal((await viewer.get(`/api/messages/${id}/pdfs/1`)).status, 404);
});

test("a message whose content is removed shows since when, and is not retried", async () => {
  const { own: { viewer, editor, accountId }, store } = dashboard;
  const send = await accept(1);
  const id = await fail(send, 0);
  const now = new Date("2026-05-05T12:00:00Z");
  await store.sends.settle([send], now);
  const before = new Date(Date.now() + 60_000);
  await store.retention.removeContents({ accountId, before, limit: 1000, now });
  const { body } = await viewer.get(`/api/messages/${id}`);
  assert.equal(body.contentRemovedAt, now.toISOString());
  assert.equal(body.canRetry, false);
  assert.equal((await viewer.get(`/api/messages/${id}/images/logo`)).status, 404);
  const content = await viewer.get(`/api/messages/${id}/content`);
  assert.equal(content.status, 404);
  assert.match(content.body.error, /content was removed on 2026-05-05/);
  const again = await editor.post(`/api/messages/${id}/retry`);
  assert.equal(again.status, 409);
  assert.match(again.body.error, /content was removed on 2026-05-05/);
});

test("messages are retried and canceled by editors, and the audit log records by whom", async () => {
  const { own: { viewer, editor, accountId }, store } = dashboard;
  const send = await accept(2);
  const failed = await fail(send, 0);
  const queued = messageIdOf(send._id, 1);
  for (const path of [`${failed}/retry`, `${queued}/cancel`]) {
    assert.equal((await viewer.post(`/api/messages/${path}`)).status, 403, path);
  }
  assert.equal((await editor.post(`/api/messages/${failed}/retry`)).body.state, "deferred");
  assert.equal((await editor.post(`/api/messages/${queued}/cancel`)).body.state, "canceled");
  assert.equal((await editor.post(`/api/messages/${queued}/cancel`)).status, 409);
  assert.equal((await editor.post(`/api/messages/${queued}/retry`)).status, 409);
  const lines = await store.audit.list(accountId, { limit: 2 });
  assert.deepEqual(lines.map(({ action, target }) => `${action} ${target}`), [
    `message.canceled message ${queued}`,
    `message.retried message ${failed}`,
  ]);
});

test("GET /api/sends/:id shows the states of its messages and why some failed", async () => {
  const { own: { viewer, editor, accountId }, foreign, store } = dashboard;
  const template = { kind: "email" as const, name: "Welcome", variables: [], sourceHash: "1" };
  const parts = { subject: "", html: "", text: "" };
  await store.templates.publish({ ...template, accountId, source: { subject: "" }, parts });
  const send = await accept(4);
  for (const index of [0, 1]) await fail(send, index);
  const { body } = await viewer.get(`/api/sends/${send._id}`);
  assert.deepEqual(body.states, { queued: 2, failed: 2 });
  assert.equal(body.causes.length, 1);
  assert.deepEqual([body.causes[0].count, body.causes[0].code], [2, 550]);
  assert.equal(body.template.name, "Welcome");
  assert.equal((await foreign.viewer.get(`/api/sends/${send._id}`)).status, 404);
  assert.equal((await viewer.post(`/api/sends/${send._id}/cancel`)).status, 403);
  assert.deepEqual((await editor.post(`/api/sends/${send._id}/cancel`)).body, { canceled: 2 });
});

test("POST /api/messages/retry retries messages that failed for one reason", async () => {
  const { own: { editor, viewer } } = dashboard;
  const send = await accept(3);
  const other = await accept(1);
  for (const index of [0, 1, 2]) await fail(send, index);
  const untouched = await fail(other, 0);
  const cause = { state: "failed", reason: REASON, code: 550, enhanced: "5.1.1", send: send._id };
  assert.equal((await viewer.post("/api/messages/retry", cause)).status, 403);
  const wrong = await editor.post("/api/messages/retry", { ...cause, code: 551 });
  assert.deepEqual(wrong.body, { retried: 0, withoutContent: 0, remaining: 0 });
  const { body } = await editor.post("/api/messages/retry", cause);
  assert.deepEqual(body, { retried: 3, withoutContent: 0, remaining: 0 });
  assert.equal((await viewer.get(`/api/messages/${untouched}`)).body.state, "failed");
});

test("GET /api/messages/stream reports changes", async () => {
  const { own, store, app } = dashboard;
  const person = await dashboard.signIn(own.viewer.user, own.accountId);
  const base = await app.listen({ port: 0, host: "127.0.0.1" });
  const headers = { cookie: `${SESSION_COOKIE}=${person.cookie}` };
  assert.equal((await fetch(`${base}/api/messages/stream`)).status, 401);
  const stop = new AbortController();
  const response = await fetch(`${base}/api/messages/stream`, { headers, signal: stop.signal });
  assert.equal(response.headers.get("content-type"), "text/event-stream");
  let text = "";
  const reading = (async () => {
    for await (const piece of response.body ?? []) text += Buffer.from(piece).toString();
  })().catch(() => undefined);
  await until(() => text.includes("event: rows") && text.includes("event: counts"));
  text = "";
  const send = await accept(1);
  await until(() => text.includes(messageIdOf(send._id, 0)));
  assert.equal(text.match(/"id":/g)?.length, 1, "only what is new is reported");
  text = "";
  await store.messages.cancelSend(own.accountId, send._id, new Date());
  await until(() => text.includes("canceled"));
  stop.abort();
  await reading;
});

test("GET /api/messages/:id/images/:contentId returns the images of that mail, as it had them", async () => {
  const { own: { viewer, accountId }, foreign, store } = dashboard;
  const image = async (letter: string, name: string) => {
    const sha256 = letter.repeat(64);
    const bytes = Buffer.from(`bytes of ${letter}`);
    const file = { sha256, size: bytes.length, filename: `${name}.png`, contentType: "image/png" };
    const kept = { ...file, accountId, name, updatedAt: new Date() };
    await store.assets.putName(kept, bytes);
    return { ...file, name };
  };
  const pinned = await image("a", "logo");
  const parts = { subject: "s", html: '<img src="cid:logo">', text: "t" };
  const { template, version } = await store.templates.publish({
    ...{ accountId, kind: "email", name: "Pictured", source: parts, parts, variables: [] },
    ...{ sourceHash: "pictured", assets: [pinned, { ...pinned, name: "second" }] },
  });
  await image("b", "logo");
  const { name: _, ...given } = await image("c", "photo");
  const used = { template: { id: template.id, version: version.version } };
  const to = [{ email: "a@b.example" }];
  const file = { ...given, contentType: "text/html", contentId: "page" };
  const files = [{ ...given, contentId: "second" }, file];
  const request = { from: { email: "shop@example.com" }, to, files };
  const send = await accept(1, { ...used, request });
  const id = messageIdOf(send._id, 0);
  const show = (contentId: string) => viewer.get(`/api/messages/${id}/images/${contentId}`);
  const logo = await show("logo");
  assert.deepEqual([logo.status, logo.text], [200, "bytes of a"]);
  assert.equal(logo.headers["content-type"], "image/png");
  assert.match(String(logo.headers["content-security-policy"]), /default-src 'none'.*sandbox/);
  assert.equal(logo.headers["x-content-type-options"], "nosniff");
  assert.equal((await show("second")).text, "bytes of c");
  const [line] = await store.audit.list(accountId, { limit: 1 });
  assert.deepEqual([line?.action, line?.details], ["message.read", { image: "second" }]);
  for (const none of ["photo", "page", "none", "..%2flogo", pinned.sha256]) {
    assert.equal((await show(none)).status, 404, none);
  }
  const path = `/api/messages/${id}/images/logo`;
  assert.equal((await foreign.viewer.get(path)).status, 404);
});

test("GET /api/messages/:id names the language that a message has", async () => {
  const { own: { viewer, accountId }, store } = dashboard;
  const body = { source: { subject: "Hi" }, parts: { subject: "Hi", html: "", text: "" } };
  const { template: { id }, version: { version } } = await store.templates.publish({
    ...{ ...body, kind: "email", accountId, name: "Many", variables: [], sourceHash: "many" },
    variants: { de: body },
  });
  const from = { email: "shop@example.com" };
  const to = [{ email: "a@example.com", locale: "de-AT" }, { email: "b@example.com" }];
  const send = await accept(2, { template: { id, version }, request: { from, to, locale: "fr" } });
  const variants = [];
  for (const index of [0, 1]) {
    const { body } = await viewer.get(`/api/messages/${messageIdOf(send._id, index)}`);
    variants.push(body.variant);
  }
  assert.deepEqual(variants, ["de", null]);
});

test("GET /api/messages/addresses has each address of a cause once, without formulas, and is in the audit log", async () => {
  const { own: { viewer, accountId }, foreign, store } = dashboard;
  const emails = ["=cmd@csv.example", "A@csv.example", "a@csv.example", "other@csv.example"];
  const to = emails.map((email) => ({ email }));
  const send = await accept(4, { request: { from: { email: "shop@example.com" }, to } });
  const ids = await Promise.all([0, 1, 2].map((index) => fail(send, index)));
  const query = `send=${send._id}&reason=${encodeURIComponent(REASON)}&code=550&enhanced=5.1.1`;
  const path = `/api/messages/addresses?state=failed&${query}`;
  const { status, headers, text } = await viewer.get(path);
  assert.equal(status, 200);
  assert.match(String(headers["content-type"]), /^text\/csv/);
  assert.match(String(headers["content-disposition"]), /^attachment; filename="addresses.csv"/);
  const [head, ...lines] = text.trimEnd().split("\r\n");
  assert.equal(head, "email,state,reason,reply,messageId,acceptedAt");
  const rest = (index: number) =>
    `failed,${REASON},${REPLY.response},${ids[index]},${send.acceptedAt.toISOString()}`;
  assert.deepEqual(lines, [`a@csv.example,${rest(2)}`, `'=cmd@csv.example,${rest(0)}`]);
  const [line] = await store.audit.list(accountId, { limit: 1 });
  assert.deepEqual([line?.action, line?.target, line?.details], [
    "message.exported",
    `send ${send._id}`,
    { reason: REASON, addresses: 2 },
  ]);
  assert.equal((await viewer.get(path.replace("550", "551"))).text.split("\r\n").length, 2);
  assert.equal((await foreign.viewer.get(path)).text.split("\r\n").length, 2);
  for (const state of ["", "sent", "failed,sent"]) {
    const refused = await viewer.get(`/api/messages/addresses?state=${state}`);
    assert.deepEqual([refused.status, refused.body.issues[0].path], [400, "state"], state);
  }
});

test("the subject of a sent message is in the list, in its page, and found by any part", async () => {
  const { own: { viewer }, store } = dashboard;
  const send = await accept(2, { subjectKey: newSubjectKey() });
  const messageId = messageIdOf(send._id, 0);
  const attempt = { messageId, attempt: 1, subject: "Rechnung No. 4711 für Sie" };
  await takeAttempt(store, attempt);
  await endAttempt(store, "sent", { ...attempt, at: new Date() });
  const subjects = async (query: string) => {
    const { body } = await viewer.get(`/api/messages?${query}`);
    return body.rows.map((row: { subject: string | null }) => row.subject);
  };
  assert.deepEqual(await subjects(`send=${send._id}`), [null, attempt.subject]);
  assert.deepEqual(await subjects(`email=${encodeURIComponent("no. 4711 FÜR")}`), [
    attempt.subject,
  ]);
  assert.equal((await viewer.get(`/api/messages/${messageId}`)).body.subject, attempt.subject);
});
