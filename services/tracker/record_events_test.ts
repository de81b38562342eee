import { messageIdOf, type Send } from "@posthaste/contracts";
import { endAttempt, openTestMongo, takeAttempt, testSend } from "@posthaste/kit";
import type { StatusEvent } from "@posthaste/messaging";
import { openStore, type Store } from "@posthaste/storage";
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openEventRecorder } from "./record_events.ts";
import { recordHappenings } from "./record_happenings.ts";
import { settleFinished } from "./settle_sends.ts";

const DAY_MS = 24 * 3_600_000;
const stack = new AsyncDisposableStack();
/** Each caches the ends of feeds for itself. */
let stores: [Store, Store];

before(async () => {
  const { url } = stack.use(await openTestMongo());
  stores = [stack.use(await openStore({ url })), stack.use(await openStore({ url }))];
  await stores[0].ensureIndexes();
});
after(() => stack.disposeAsync());

function openRecorder(store: Store) {
  return openEventRecorder({ ...store, eventsKeptMs: 30 * DAY_MS, now: () => new Date() });
}

async function accept(accountId: string, messageCount: number): Promise<Send> {
  const to = Array.from({ length: messageCount }, (_, index) => ({
    email: `r${index}@example.net`,
    ...(index === 0 ? { reference: "first" } : {}),
  }));
  const send = testSend({
    ...{ accountId, acceptedAt: new Date(), template: { id: 1, version: 2 }, integrationId: 4 },
    request: { from: { email: "shop@example.com" }, to, metadata: { "$set.x": "4711" } },
  });
  await stores[0].sends.accept(send);
  return send;
}

/** Sends a message, and returns the status event of it. */
async function deliver({ _id: sendId, accountId }: Send, index: number): Promise<StatusEvent> {
  const [messageId, at] = [messageIdOf(sendId, index), new Date()];
  await takeAttempt(stores[0], { messageId, attempt: 1 });
  const reply = { code: 250, response: "250 Ok" };
  await endAttempt(stores[0], "sent", { messageId, attempt: 1, at, reply });
  const data = { messageId, sendId, accountId, index, attempt: 1, at: at.toISOString(), reply };
  return { type: "status.message.sent", data };
}

async function feedOf(accountId: string) {
  return (await stores[0].events.list(accountId, { after: 0, limit: 1000 })).events;
}

function assertWhole(feed: { _id: string; sequence: number }[], count: number): void {
  assert.deepEqual(feed.map(({ sequence }) => sequence), feed.map((_, index) => index + 1));
  assert.equal(new Set(feed.map(({ _id }) => _id)).size, count);
  assert.equal(feed.length, count);
}

test("recordOutcomes() of two concurrent recorders leaves no hole and records nothing twice", async () => {
  const send = await accept("acc_twice", 60);
  const statusEvents = await Promise.all(send.request.to.map((_, index) => deliver(send, index)));
  const recorders = stores.map(openRecorder);
  const parts = Array.from({ length: 6 }, (_, part) => statusEvents.slice(part * 8, part * 8 + 20));
  await Promise.all(
    parts.flatMap((part) => recorders.map(({ recordOutcomes }) => recordOutcomes(part))),
  );
  const feed = await feedOf("acc_twice");
  assertWhole(feed, 60);
  const { data } = feed.find(({ _id }) => _id.endsWith("0000001s")) ?? {};
  assert.deepEqual(data, {
    ...{ messageId: messageIdOf(send._id, 0), sendId: send._id, state: "sent", attempt: 1 },
    ...{ reply: { code: 250 }, template: { id: 1, alias: null, version: 2 }, integrationId: 4 },
    ...{ reference: "first", tags: [], metadata: { "$set.x": "4711" } },
  });
});

test("recordOutcomes() records earlier attempts first, though their status events come later or together", async () => {
  const [store] = stores;
  const send = await accept("acc_order", 2);
  const recorder = openRecorder(store);
  const statusEvents: StatusEvent[][] = [[], []];
  for (const index of [0, 1]) {
    const messageId = messageIdOf(send._id, index);
    const ids = { messageId, sendId: send._id, accountId: send.accountId, index };
    const end = async (attempt: number, state: "deferred" | "sent") => {
      await takeAttempt(store, { messageId, attempt });
      const at = new Date();
      const reason = state === "sent" ? {} : { reason: "Try later", nextAt: at };
      const lines = (["sending", state] as const).map((type) => ({ at, type, attempt }));
      const reply = { code: state === "sent" ? 250 : 450 };
      await endAttempt(store, state, { messageId, attempt, at, lines, reply, ...reason });
      const data = { ...ids, attempt, at: at.toISOString(), reply };
      statusEvents[index]?.unshift(
        state === "sent"
          ? { type: "status.message.sent", data }
          : { type: "status.message.deferred", data: { ...data, reason: "Try later" } },
      );
    };
    await end(1, "deferred");
    await end(2, "sent");
  }
  const [[late, deferred] = [], together = []] = statusEvents;
  for (const batch of [[late], together, [deferred]]) {
    await recorder.recordOutcomes(batch.filter((one) => one !== undefined));
  }
  const feed = await feedOf("acc_order");
  assertWhole(feed, 4);
  for (const [, events] of Map.groupBy(feed, ({ data }) => "messageId" in data && data.messageId)) {
    assert.deepEqual(events.map(({ type }) => type), ["message.deferred", "message.sent"]);
  }
});

test("recordSettled() adds events whose status events were lost, before the send is settled", async () => {
  const [store] = stores;
  const send = await accept("acc_lost", 3);
  const [first] = await Promise.all([0, 1].map((index) => deliver(send, index)));
  const recorder = openRecorder(store);
  await recorder.recordOutcomes(first === undefined ? [] : [first]);
  // Its status event is not published.
  await store.messages.cancel("acc_lost", messageIdOf(send._id, 2), new Date());
  const deps = { ...store, ...recorder };
  await settleFinished([send._id], deps);
  // As if the tracker had been lost before it recorded that the send is settled.
  await openRecorder(stores[1]).recordTimelines({ sendIds: [send._id] });
  await settleFinished([send._id], deps);
  const feed = await feedOf("acc_lost");
  assertWhole(feed, 4);
  assert.deepEqual(
    feed.map(({ type }) => type).toSorted(),
    ["message.canceled", "message.sent", "message.sent", "send.settled"],
  );
  const { type, data } = feed[3] ?? {};
  assert.equal(type, "send.settled");
  assert.deepEqual(data && "states" in data && data.states, { sent: 2, canceled: 1 });
});

test("recordTimelines() records that a message is sent again, and that its send is settled once more", async () => {
  const [store] = stores;
  const send = await accept("acc_again", 1);
  const messageId = messageIdOf(send._id, 0);
  const recorder = openRecorder(store);
  const deps = { ...store, ...recorder };
  const end = async (attempt: number, state: "failed" | "sent") => {
    await takeAttempt(store, { messageId, attempt });
    const at = new Date();
    const reason = state === "failed" ? { reason: "Refused" } : { reply: { code: 250 } };
    const lines = (["sending", state] as const).map((type) => ({ at, type, attempt }));
    await endAttempt(store, state, { ...{ messageId, attempt, at, lines }, ...reason });
    await settleFinished([send._id], deps);
  };
  await end(1, "failed");
  await store.messages.retry("acc_again", messageId, { now: new Date() });
  await recorder.recordTimelines({ sendIds: [send._id] });
  await end(2, "sent");
  assert.deepEqual((await feedOf("acc_again")).map(({ type }) => type), [
    ...["message.failed", "send.settled", "message.retried", "message.sent", "send.settled"],
  ]);
});

test("recordHappenings() records what happened to integrations and templates, once", async () => {
  const [store] = stores;
  const { _id: accountId } = await store.accounts.create({ name: "Happens" });
  const since = new Date(Date.now() - 1000);
  const integration = await store.integrations.create({
    ...{ accountId, name: "x", host: "smtp.example.com", port: 25, tls: "none", auth: null },
    senders: ["shop@example.com"],
  });
  await store.integrations.suspend(integration, { reason: "Refused a@b.example", at: new Date() });
  const parts = { subject: "Hi", html: "<p>Hi</p>", text: "Hi" };
  const version = await store.templates.publish({
    ...{
      accountId,
      sourceHash: "x",
      name: "x",
      kind: "email",
      source: parts,
      parts,
      variables: [],
    },
  });
  const template = { _id: `${accountId}/email/${version.template.id}`, accountId };
  await store.templates.archive(template, new Date());
  const logged: unknown[] = [];
  const logger = { info() {}, warn: (...line: unknown[]) => void logged.push(line) };
  const deps = { ...store, now: () => new Date(), logger };
  const next = await recordHappenings(deps, { since, limit: 500 });
  await recordHappenings(deps, { since, limit: 500 });
  const reason = "Refused ***@***";
  assert.deepEqual(logged, [
    ["An integration is suspended: its mail waits", { accountId, integrationId: 1, reason }],
  ]);
  assert.ok(next.since >= since);
  const feed = await feedOf(accountId);
  assertWhole(feed, 3);
  assert.deepEqual(feed.map(({ type, data }) => [type, data]), [
    ["integration.suspended", { integrationId: 1, reason: "Refused ***@***" }],
    ["template.published", { kind: "email", templateId: 1, version: 1 }],
    ["template.archived", { kind: "email", templateId: 1 }],
  ]);
});

test("recordHappenings() records each kind of change of an integration", async () => {
  const [store] = stores;
  const { _id: accountId } = await store.accounts.create({ name: "Changes" });
  const since = new Date(Date.now() - 1000);
  const { _id, id } = await store.integrations.create({
    ...{ accountId, name: "x", host: "smtp.example.com", port: 25, tls: "none", auth: null },
    senders: ["shop@example.com"],
  });
  await store.integrations.pause(accountId, id, { at: new Date(), reason: "paused by Ann" });
  await store.integrations.resume(accountId, id, "resumed by Ann");
  const pauseMs = () => 1000;
  await store.circuits.countFailure({ id: _id, reason: "no answer", pauseMs, now: new Date() });
  await store.circuits.close(_id);
  const logger = { info() {}, warn() {} };
  await recordHappenings({ ...store, now: () => new Date(), logger }, { since, limit: 500 });
  const feed = await feedOf(accountId);
  assertWhole(feed, 4);
  const changes = feed.map(({ type, data }) => [type, "reason" in data && data.reason]);
  assert.deepEqual(Object.fromEntries(changes), {
    "integration.paused": "paused by Ann",
    "integration.resumed": "resumed by Ann",
    "integration.unreachable": "no answer",
    "integration.reachable": "Its server is reachable again",
  });
});

test("recordHappenings() gets past more happenings of one moment than one query reads", async () => {
  const at = new Date("2026-01-01T00:00:00Z");
  const all = Array.from({ length: 9 }, (_, n) => ({
    ...{ _id: `evt_${n}`, accountId: "acc_1", type: "template.published" as const, at },
    data: { template: { id: n, alias: null, version: 1 } },
  }));
  const known = new Set<string>();
  const deps = {
    events: {
      listHappenings: (_since: Date, limit: number) =>
        Promise.resolve(all.slice(0, limit) as never),
      recorded: (ids: readonly string[]) =>
        Promise.resolve(new Set(ids.filter((id) => known.has(id)))),
      record: (events: readonly { _id: string }[]) => {
        for (const { _id } of events) known.add(_id);
        return Promise.resolve(new Set<string>());
      },
    },
    now: () => at,
    logger: { info() {}, warn() {} },
  };
  let place = { since: at, limit: 2 };
  for (let round = 0; round < 4; round++) place = await recordHappenings(deps, place);
  assert.equal(known.size, 9);
  assert.equal(place.limit, 500);
});

test("recordSettled() looks up the subjects of its events once", async () => {
  const send = await accept("acc_once", 3);
  for (const index of [0, 1, 2]) await deliver(send, index);
  const asked: string[][] = [];
  const [store] = stores;
  const events: Store["events"] = {
    ...store.events,
    subjects: (ids) => store.events.subjects(asked[asked.push([...ids]) - 1] ?? []),
  };
  const recorder = openRecorder({ ...store, events });
  const finished = await store.sends.finished([send._id]);
  await recorder.recordSettled(finished, () => false);
  assert.deepEqual(asked, [[send._id]]);
  assert.equal((await feedOf("acc_once")).length, 4);
});
