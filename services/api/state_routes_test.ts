import assert from "node:assert/strict";
import { test } from "node:test";
import { errorBodySchema, type Message } from "@posthaste/contracts";
import { openTestApp, SEND, smallSend, type TestApp } from "./_test_app.ts";

const AT = new Date("2026-01-02T03:04:05.678Z");

async function sendTwo(api: TestApp) {
  const to = [{ email: "a@example.net" }, { email: "b@example.net" }];
  const { body } = await api.post(SEND, smallSend({ to }));
  const message: Message = {
    _id: body.messages[1].id,
    sendId: body.id,
    accountId: "acc_1",
    index: 1,
    email: "b@example.net",
    state: "failed",
    attempt: 1,
    sentBy: null,
    unknownAttempts: [],
    waitsFor: null,
    nextAt: null,
    acceptedAt: AT,
    finishedAt: AT,
    reason: "the mailbox does not exist",
    reply: { code: 550, enhanced: "5.1.1", response: "no such user" },
    mimeHash: "never shown",
    timeline: [{ at: AT, type: "failed", attempt: 1, durationMs: 12, detail: "no such user" }],
  };
  api.messages.push(message);
  return body;
}

test("messageRoute() shows all about a message that a worker has handled", async () => {
  await using api = openTestApp();
  const { id, messages } = await sendTwo(api);
  const { status, body } = await api.get(`/v1/messages/${messages[1].id}`);
  assert.equal(status, 200);
  assert.deepEqual(body, {
    id: messages[1].id,
    sendId: id,
    email: "b@example.net",
    state: "failed",
    attempt: 1,
    acceptedAt: api.sends[0]?.acceptedAt.toISOString(),
    finishedAt: AT.toISOString(),
    nextAt: null,
    reason: "the mailbox does not exist",
    reply: { code: 550, enhanced: "5.1.1", response: "no such user" },
    waiting: null,
    template: { id: 5, version: 2 },
    integrationId: 3,
    ...{ hasPdfs: false, variant: null },
    ...{ reference: null, tags: [], metadata: {} },
    timeline: [{
      at: AT.toISOString(),
      type: "failed",
      attempt: 1,
      durationMs: 12,
      detail: "no such user",
    }],
  });
});

test("messageRoute() shows which copies the server refused, and why", async () => {
  await using api = openTestApp();
  const { messages } = await sendTwo(api);
  const path = `/v1/messages/${messages[1].id}`;
  assert.ok(!("copiesRefused" in (await api.get(path)).body));
  const [message] = api.messages;
  assert.ok(message);
  const reply = { code: 550, enhanced: "5.1.1", response: "no such user" };
  message.copiesRefused = [{ email: "office@example.net", reply }];
  assert.deepEqual((await api.get(path)).body.copiesRefused, message.copiesRefused);
});

test("messageRoute() shows durations in whole milliseconds", async () => {
  await using api = openTestApp();
  const { messages } = await sendTwo(api);
  const [message] = api.messages;
  assert.ok(message);
  message.timeline = [0.4, 13.501234567, undefined].map((durationMs) => ({
    ...{ at: AT, type: "rendered", attempt: 1 } as const,
    ...(durationMs === undefined ? {} : { durationMs }),
  }));
  const { body } = await api.get(`/v1/messages/${messages[1].id}`);
  const durations = body.timeline.map(({ durationMs }: { durationMs?: number }) => durationMs);
  assert.deepEqual(durations, [0, 14, undefined]);
});

test("messageRoute() shows a message that no worker has handled, and none beyond the send", async () => {
  await using api = openTestApp();
  const { id, messages } = await sendTwo(api);
  const { body } = await api.get(`/v1/messages/${messages[0].id}`);
  assert.equal(body.sendId, id);
  assert.equal(body.email, "a@example.net");
  assert.equal(body.state, "queued");
  assert.deepEqual(body.timeline, []);
  assert.equal(body.waiting, null);
  for (const bad of [`${messages[0].id.slice(0, -1)}2`, "x", id, "msg_"]) {
    const answer = await api.get(`/v1/messages/${bad}`);
    assert.equal(answer.status, 404);
    assert.equal(errorBodySchema.parse(answer.body).code, "unknown_message");
  }
});

test("messageRoute() shows why a message waits, and for how many others", async () => {
  const waiting = { reason: "The integration is suspended: no login", ahead: 4 };
  await using api = openTestApp({
    messages: {
      findPlaces: (_accountId, [message]) =>
        Promise.resolve(new Map([[`${message?._id}`, waiting]])),
    },
  });
  const { messages } = await sendTwo(api);
  assert.deepEqual((await api.get(`/v1/messages/${messages[1].id}`)).body.waiting, waiting);
});

test("a send and its messages show their marks, and a recipient's mark replaces the send's", async () => {
  await using api = openTestApp();
  const { body } = await api.post(
    SEND,
    smallSend({
      ...{ reference: "order-42", tags: ["a", "b"], metadata: { customer: "1", shop: "x" } },
      to: [
        { email: "a@example.net" },
        { email: "b@example.net", reference: "b", tags: [], metadata: { customer: "2" } },
      ],
    }),
  );
  const labels = ({ reference, tags, metadata }: Record<string, unknown>) => ({
    ...{ reference, tags, metadata },
  });
  const shown = await Promise.all([
    api.get(`/v1/sends/${body.id}`),
    ...body.messages.map(({ id }: { id: string }) => api.get(`/v1/messages/${id}`)),
  ]);
  const top = { reference: "order-42", tags: ["a", "b"], metadata: { customer: "1", shop: "x" } };
  const own = { reference: "b", tags: [], metadata: { customer: "2", shop: "x" } };
  assert.deepEqual(shown.map((answer) => labels(answer.body)), [top, top, own]);
});

test("a mark beyond its limits is refused, in the send and in a recipient", async () => {
  await using api = openTestApp();
  const many = Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`k${at}`, ""]));
  const cases: [Record<string, unknown>, string, string][] = [
    [{ reference: "" }, "reference", "empty"],
    [{ reference: "x".repeat(101) }, "reference", "too_long"],
    [{ reference: "a\nb" }, "reference", "bad_characters"],
    [{ tags: ["a b"] }, "tags.0", "wrong_type"],
    [{ tags: Array(11).fill("a") }, "tags", "too_many"],
    [{ metadata: many }, "metadata", "too_many"],
    [{ metadata: { a: 1 } }, "metadata", "wrong_type"],
    [{ metadata: { ["k".repeat(41)]: "" } }, "metadata", "too_long"],
    [{ metadata: { a: "x".repeat(501) } }, "metadata", "too_long"],
    [{ label: "x" }, "label", "unknown_field"],
  ];
  for (const [given, path, code] of cases) {
    const to = [{ email: "a@example.net", ...given }];
    for (
      const [body, at] of [[smallSend(given), path], [smallSend({ to }), `to.0.${path}`]] as const
    ) {
      const answer = await api.post(SEND, body);
      assert.equal(answer.status, 400, at);
      const [issue] = errorBodySchema.parse(answer.body).issues ?? [];
      assert.deepEqual([issue?.path, issue?.code], [at, code]);
    }
  }
  assert.equal(api.sends.length, 0);
});

test("sendStateRoute() reports settled as soon as no message can change any more", async () => {
  await using api = openTestApp();
  const { id } = await sendTwo(api);
  const settled = async () => (await api.get(`/v1/sends/${id}`)).body.settled;
  const [failed] = api.messages;
  assert.ok(failed);
  assert.equal(await settled(), false, "one is queued still");
  const other = { ...failed, _id: "msg_other", index: 0 };
  for (
    const [state, isSettled] of [["deferred", false], ["unknown", false], ["sent", true]] as const
  ) {
    api.messages.splice(0, 2, failed, { ...other, state });
    assert.equal(await settled(), isSettled, state);
  }
  assert.equal(api.sends[0]?.settledAt, null, "nobody has noted it yet");
});

test("sendStateRoute() counts states and lists the messages in their order", async () => {
  await using api = openTestApp();
  const { id, messages } = await sendTwo(api);
  const { status, body } = await api.get(`/v1/sends/${id}`);
  assert.equal(status, 200);
  assert.deepEqual(body, {
    id,
    acceptedAt: api.sends[0]?.acceptedAt.toISOString(),
    template: { id: 5, version: 2 },
    integrationId: 3,
    messageCount: 2,
    batchId: null,
    settled: false,
    settledAt: null,
    ...{ sendAt: null, causes: [] },
    ...{ reference: null, tags: [], metadata: {} },
    states: { queued: 1, failed: 1 },
    messages: [
      { id: messages[0].id, email: "a@example.net", state: "queued" },
      { id: messages[1].id, email: "b@example.net", state: "failed" },
    ],
  });
  const answer = await api.get(`/v1/sends/${id}x`);
  assert.equal(errorBodySchema.parse(answer.body).code, "unknown_send");
});
