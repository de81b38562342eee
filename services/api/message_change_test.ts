import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ENDPOINTS, errorBodySchema, TOKEN_SCOPES } from "@posthaste/contracts";
import { type LedgerApp, openLedgerApp } from "./_test_ledger_app.ts";

let api: LedgerApp;
let count = 0;

before(async () => {
  api = await openLedgerApp();
});
after(() => api?.[Symbol.asyncDispose]());

/** Accepts a send to `recipients` recipients, marked with a reference of its own. */
async function sendTo(recipients: number) {
  const reference = `send-${++count}`;
  const to = Array.from({ length: recipients }, (_, at) => ({ email: `r${at}@${count}.example` }));
  const { id, messages } = await api.send({ to, reference });
  return { id, reference, ids: messages.map((message) => message.id) };
}

const post = (path: string, body?: unknown) => api.ask(path, { method: "POST", body });

async function stateOf(id: string | undefined): Promise<string> {
  return (await api.ask(`/v1/messages/${id}`)).body.state;
}

async function refused(path: string, body: unknown, expected: { status: number; code: string }) {
  const answer = await post(path, body);
  const { code } = errorBodySchema.parse(answer.body);
  assert.deepEqual({ status: answer.status, code }, expected, path);
}

test("a message is canceled, and canceled again with the same answer", async () => {
  const { ids: [id] } = await sendTo(1);
  const first = await post(`/v1/messages/${id}/cancel`);
  assert.equal(first.status, 200);
  assert.equal(first.body.state, "canceled");
  assert.equal(first.body.timeline.at(-1).type, "canceled");
  const again = await post(`/v1/messages/${id}/cancel`);
  assert.deepEqual([again.status, again.body], [200, first.body]);
});

test("a message that is sent or being sent is not cancelable", async () => {
  for (const state of ["sent", "sending", "failed"] as const) {
    const { id, ids } = await sendTo(1);
    await api.end(id, 0, state);
    const path = `/v1/messages/${ids[0]}/cancel`;
    await refused(path, undefined, { status: 409, code: "not_cancelable" });
    assert.equal(await stateOf(ids[0]), state);
  }
});

test("a send is canceled except for messages for which it is too late", async () => {
  const { id, ids } = await sendTo(4);
  await api.end(id, 1, "sent");
  await api.end(id, 2, "sending");
  const { status, body } = await post(`/v1/sends/${id}/cancel`);
  assert.deepEqual([status, body], [200, { canceled: 2, tooLate: 2 }]);
  assert.deepEqual(await Promise.all(ids.map(stateOf)), [
    "canceled",
    "sent",
    "sending",
    "canceled",
  ]);
  assert.deepEqual((await post(`/v1/sends/${id}/cancel`)).body, { canceled: 0, tooLate: 2 });
});

test("messages are canceled by a filter, and those of no other send", async () => {
  const wanted = await sendTo(3);
  const other = await sendTo(1);
  await api.end(wanted.id, 0, "sent");
  const filter = { reference: wanted.reference };
  assert.deepEqual((await post("/v1/messages/cancel", { filter })).body, {
    ...{ canceled: 2, remaining: 0 },
  });
  assert.deepEqual(await Promise.all(wanted.ids.map(stateOf)), ["sent", "canceled", "canceled"]);
  assert.equal(await stateOf(other.ids[0]), "queued");
  assert.deepEqual((await post("/v1/messages/cancel", { filter })).body.canceled, 0);
});

test("cancelling by a filter takes at most 1,000 messages in one call, and counts all others", async () => {
  const reference = "large";
  for (const recipients of [700, 700, 700]) {
    const to = Array.from({ length: recipients }, (_, at) => ({ email: `r${at}@large.example` }));
    await api.send({ to, reference });
  }
  const body = { filter: { reference } };
  for (const [canceled, remaining] of [[1000, 1100], [1000, 100], [100, 0]]) {
    const answer = await post("/v1/messages/cancel", body);
    assert.deepEqual(answer.body, { canceled, remaining });
  }
});

test("each condition of a filter limits what is canceled", async () => {
  await using own = await openLedgerApp();
  const to = [{ email: "a@one.example" }, { email: "b@one.example", tags: ["own"] }];
  const { id: sendId } = await own.send({ to, tags: ["shared"], reference: "r-1" });
  const cancel = async (filter: Record<string, unknown>) => {
    const { status, body } = await own.ask("/v1/messages/cancel", {
      ...{ method: "POST", body: { filter } },
    });
    assert.equal(status, 200, JSON.stringify(body));
    return body.canceled;
  };
  const others = [
    ...[{ templateId: 2 }, { integrationId: 2 }, { tag: "none" }, { batchId: "bat_none" }],
    ...[{ sendId, templateId: 2 }, { sendId, integrationId: 2 }, { sendId, tag: "none" }],
    ...[{ sendId, reference: "r-2" }, { sendId, batchId: "bat_none" }],
  ];
  for (const filter of others) assert.equal(await cancel(filter), 0, JSON.stringify(filter));
  assert.equal(await cancel({ tag: "own" }), 1);
  assert.equal(await cancel({ templateId: 1, integrationId: 1, tag: "shared" }), 1);
});

test("a filter without a condition would cancel everything, and is refused", async () => {
  const wrong = { status: 400, code: "invalid_request" };
  for (
    const body of [undefined, {}, { filter: {} }, { filter: { state: "queued" } }, {
      filter: { reference: null },
    }]
  ) {
    const answer = await post("/v1/messages/cancel", body);
    assert.equal(answer.status, wrong.status, JSON.stringify(body));
  }
});

test("a failed message is retried; one that is sent or queued is not retryable", async () => {
  const { id, ids: [failed, sent, queued] } = await sendTo(3);
  await api.end(id, 0, "failed");
  await api.end(id, 1, "sent");
  const { status, body } = await post(`/v1/messages/${failed}/retry`);
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.state, "deferred");
  for (const other of [sent, queued]) {
    const path = `/v1/messages/${other}/retry`;
    await refused(path, undefined, { status: 409, code: "not_retryable" });
  }
});

test("a message of unknown outcome is retried only if duplicates are accepted", async () => {
  const { id, ids: [message] } = await sendTo(1);
  await api.end(id, 0, "unknown");
  const path = `/v1/messages/${message}/retry`;
  const missing = { status: 400, code: "invalid_request" };
  await refused(path, undefined, missing);
  await refused(path, { acceptDuplicates: false }, missing);
  await refused("/v1/messages/retry", { state: "unknown", sendId: id }, missing);
  assert.equal(await stateOf(message), "unknown");
  const { body } = await post(path, { acceptDuplicates: true });
  assert.equal(body.state, "deferred");
});

test("messages are retried by their cause, and those of another cause are not", async () => {
  const { id, ids } = await sendTo(3);
  await api.end(id, 0, "failed");
  await api.end(id, 1, "failed");
  const cause = { state: "failed", reason: "Refused", code: 550, sendId: id };
  const none = { retried: 0, withoutContent: 0, remaining: 0 };
  const from = new Date(Date.now() + 3_600_000).toISOString();
  const others = [{ code: 551 }, { reason: "Other" }, { enhanced: "5.7.1" }, { from }];
  for (const other of others) {
    const { body } = await post("/v1/messages/retry", { ...cause, ...other });
    assert.deepEqual(body, none, JSON.stringify(other));
  }
  assert.deepEqual((await post("/v1/messages/retry", cause)).body, { ...none, retried: 2 });
  assert.deepEqual(await Promise.all(ids.map(stateOf)), ["deferred", "deferred", "queued"]);
});

test("a message whose content is removed cannot be retried: content_removed, with the day", async () => {
  const { id, ids: [message] } = await sendTo(1);
  await api.end(id, 0, "failed");
  const now = new Date();
  await api.store.sends.settle([{ _id: id }], now);
  const before = new Date(now.getTime() + 1000);
  await api.store.retention.removeContents({ accountId: api.accountId, before, limit: 1000, now });
  const answer = await post(`/v1/messages/${message}/retry`);
  assert.equal(answer.status, 410);
  assert.equal(answer.body.code, "content_removed");
  assert.ok(answer.body.error.includes(now.toISOString().slice(0, 10)));
  const bulk = await post("/v1/messages/retry", { state: "failed", sendId: id });
  assert.deepEqual(bulk.body, { retried: 0, withoutContent: 1, remaining: 0 });
  const { body } = await api.ask(`/v1/messages/${message}`);
  assert.ok(body.reference, "what it is marked with stays");
});

test("another account's ids are unknown, and a token needs the scope manage:messages", async () => {
  const { id, ids: [message] } = await sendTo(1);
  const others = TOKEN_SCOPES.filter((scope) => scope !== "manage:messages");
  const paths = [`/v1/messages/${message}/cancel`, `/v1/messages/${message}/retry`];
  for (const path of [...paths, `/v1/sends/${id}/cancel`]) {
    const foreign = await api.ask(path, { method: "POST", isOther: true });
    assert.equal(foreign.status, 404, path);
    const lesser = await api.ask(path, { method: "POST", scopes: others });
    assert.equal(lesser.status, 403, path);
  }
  const filter = { sendId: id };
  const body = { filter };
  const bulk = await api.ask("/v1/messages/cancel", { method: "POST", body, isOther: true });
  assert.deepEqual(bulk.body, { canceled: 0, remaining: 0 });
  assert.equal(await stateOf(message), "queued");
});

const HOUR = 3_600_000;
const inFuture = (ms: number) => new Date(Date.now() + ms);
const patch = (id: string, sendAt: unknown) =>
  api.ask(`/v1/sends/${id}`, { method: "PATCH", body: { sendAt } });

/** Accepts a send that starts at `at`, and queues it as the api does. */
async function scheduled(at: Date) {
  const { id } = await api.send({ to: [{ email: "a@example.net" }], sendAt: at.toISOString() });
  const send = await api.store.sends.find(api.accountId, id);
  assert.ok(send);
  await api.store.waiting.queueSend(send);
  return id;
}

test("a scheduled send shows its time, and can be rescheduled or sent now until it starts", async () => {
  const at = inFuture(HOUR);
  const id = await scheduled(at);
  const { body } = await api.ask(`/v1/sends/${id}`);
  assert.deepEqual([body.sendAt, body.states], [at.toISOString(), { scheduled: 1 }]);
  const message = (await api.ask(`/v1/messages/${body.messages[0].id}`)).body;
  assert.deepEqual([message.state, message.nextAt], ["scheduled", at.toISOString()]);
  const listed = await api.ask(`/v1/messages?state=scheduled&sendId=${id}`);
  assert.deepEqual(listed.body.data.map((one: { id: string }) => one.id), [message.id]);

  const later = inFuture(2 * HOUR).toISOString();
  const put = await patch(id, later);
  assert.deepEqual([put.status, put.body.sendAt], [200, later]);
  const start = (now: Date) => api.store.waiting.startSends({ now, reconcileAt: now });
  assert.equal(await start(inFuture(1.5 * HOUR)), 0);
  assert.equal((await patch(id, null)).status, 200);
  assert.equal(await start(inFuture(1000)), 1);
  const started = await patch(id, later);
  assert.deepEqual([started.status, started.body.code], [409, "not_scheduled"]);
  assert.deepEqual((await api.ask(`/v1/sends/${id}`)).body.states, { queued: 1 });
});

test("a canceled scheduled send cannot be rescheduled", async () => {
  const id = await scheduled(inFuture(HOUR));
  assert.deepEqual((await post(`/v1/sends/${id}/cancel`)).body, { canceled: 1, tooLate: 0 });
  assert.equal((await patch(id, null)).body.code, "not_scheduled");
  const now = inFuture(2 * HOUR);
  assert.equal(await api.store.waiting.startSends({ now, reconcileAt: now }), 0);
});

test("sendAt must be a time with an offset, not too far ahead, and not long ago", async () => {
  const { id } = await sendTo(1);
  assert.equal((await patch(id, null)).body.code, "not_scheduled");
  const open = await scheduled(inFuture(HOUR));
  const accept = async (sendAt: unknown) =>
    await api.ask("/v1/templates/1/send/1", {
      method: "POST",
      body: { from: { email: "shop@example.com" }, to: [{ email: "a@example.net" }], sendAt },
    });
  const refused: [unknown, string][] = [
    ...["2026-01-02", "2026-01-02T03:04:05", "now", 7].map((
      text,
    ): [unknown, string] => [text, "wrong_type"]),
    [inFuture(91 * 24 * HOUR).toISOString(), "out_of_range"],
    [inFuture(-25 * HOUR).toISOString(), "out_of_range"],
  ];
  for (const [sendAt, code] of refused) {
    for (const answer of [await accept(sendAt), await patch(open, sendAt)]) {
      assert.equal(answer.status, 400, String(sendAt));
      assert.deepEqual(
        answer.body.issues.map((issue: { path: string; code: string }) => [
          ...[issue.path, issue.code],
        ]),
        [["sendAt", code]],
      );
    }
  }
  const late = await accept(inFuture(-HOUR).toISOString());
  const sent = (await api.ask(`/v1/sends/${late.body.id}`)).body;
  assert.deepEqual([sent.sendAt, sent.states], [null, { queued: 1 }]);
  assert.equal((await patch("snd_none", null)).status, 404);
});

test("canceling, retrying and rescheduling by a token is in the audit log, by the token's name", async () => {
  const known = (await api.store.audit.list(api.accountId, { limit: 100 })).length;
  const [{ id, ids: [one] }, bulk] = [await sendTo(2), await sendTo(1)];
  await post(`/v1/messages/${one}/cancel`);
  await post(`/v1/messages/${one}/cancel`);
  await post(`/v1/sends/${id}/cancel`);
  await post("/v1/messages/cancel", { filter: { reference: bulk.reference } });
  await post("/v1/messages/cancel", { filter: { reference: "none" } });
  const failed = await sendTo(2);
  for (const index of [0, 1]) await api.end(failed.id, index, "failed");
  await post(`/v1/messages/${failed.ids[0]}/retry`);
  await post("/v1/messages/retry", { state: "failed", sendId: failed.id });
  const later = await scheduled(inFuture(HOUR));
  await patch(later, null);
  const lines = await api.store.audit.list(api.accountId, { limit: 100 });
  const added = lines.slice(0, lines.length - known).reverse();
  assert.deepEqual(added.map(({ action, target }) => `${action} ${target}`), [
    `message.canceled message ${one}`,
    `send.canceled send ${id}`,
    "message.canceled messages that a filter found",
    `message.retried message ${failed.ids[0]}`,
    `message.retried send ${failed.id}`,
    `send.rescheduled send ${later}`,
  ]);
  assert.deepEqual(added[2]?.details["reference"], bulk.reference);
  for (const { userId, details } of added) {
    assert.equal(userId, null);
    assert.match(String(details["by"]), /^token ".+" \(ph_/);
  }
});

test("requests that need no body may say that it is JSON, as many clients always do", async () => {
  const headers = { "content-type": "application/json" };
  for (const { method, path, body, isBodyOptional } of ENDPOINTS) {
    if (method !== "POST") continue;
    const answer = await api.ask(path.replaceAll(/\{\w+\}/g, "1"), { method, headers });
    const isNeeded = body !== undefined && !isBodyOptional;
    assert.equal(answer.body.code === "invalid_json", isNeeded, `${path}: ${answer.body.code}`);
  }
});
