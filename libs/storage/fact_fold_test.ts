import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { messageIdOf, type Send } from "@posthaste/contracts";
import { MongoClient } from "mongodb";
import { claimOf, openTestStore, sendOf, type TestStore } from "./_test_store.ts";
import { factFold, type RecordedFact } from "./fact_fold.ts";
import type { Store } from "./store.ts";

let opened: TestStore;
let store: Store;
before(async () => {
  opened = await openTestStore();
  ({ store } = opened);
});
after(() => opened[Symbol.asyncDispose]());

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds));

function shape(send: Send, seconds: number, attempt: number, index: number) {
  const { _id: sendId, accountId } = send;
  const messageId = messageIdOf(sendId, index);
  return {
    v: 1 as const,
    messageId,
    sendId,
    accountId,
    index,
    attempt,
    at: at(seconds).toISOString(),
  };
}

function rendered(send: Send, seconds: number, attempt = 0, index = 0): RecordedFact {
  return {
    type: "fact.message.rendered",
    data: { ...shape(send, seconds, attempt, index), durationMs: 4 },
  };
}

function printed(send: Send, seconds: number, attempt = 0, index = 0): RecordedFact {
  return { type: "fact.message.printed", data: shape(send, seconds, attempt, index) };
}

function failed(
  send: Send,
  seconds: number,
  { attempt = 0, stage = "pdf" as "pdf" | "renderer" | "mailer", reason = "$it never ended" } = {},
): RecordedFact {
  return {
    type: "fact.message.failed",
    data: { ...shape(send, seconds, attempt, 0), stage, reason },
  };
}

async function accepted(changes: Partial<Send> = {}): Promise<Send> {
  const send = sendOf(changes);
  await store.acceptSend(send);
  return send;
}

async function read(send: Send, index = 0) {
  const message = await store.findMessage(send.accountId, messageIdOf(send._id, index));
  assert.ok(message);
  return message;
}

const linesOf = async (send: Send) =>
  (await read(send)).timeline.map(({ type, at }) => `${type} ${at.getUTCSeconds()}`);

test("recordFacts() moves a message forward and writes its timeline", async () => {
  const send = await accepted();
  await store.recordFacts([rendered(send, 1)]);
  assert.equal((await read(send)).state, "rendered");
  await store.recordFacts([printed(send, 2)]);
  const message = await read(send);
  assert.equal(message.state, "printed");
  assert.deepEqual(message.timeline, [
    { at: at(0), type: "queued", attempt: 0 },
    { at: at(1), type: "rendered", attempt: 0, durationMs: 4 },
    { at: at(2), type: "printed", attempt: 0 },
  ]);
});

test("recordFacts() takes facts out of order and twice, and its timeline reads in order", async () => {
  const send = await accepted();
  await store.recordFacts([printed(send, 2)]);
  await store.recordFacts([rendered(send, 1), printed(send, 2), rendered(send, 1)]);
  await store.recordFacts([rendered(send, 1), printed(send, 2)]);
  assert.equal((await read(send)).state, "printed");
  assert.deepEqual(await linesOf(send), ["queued 0", "rendered 1", "printed 2"]);
});

test("recordFacts() makes missing documents for the whole send, even by 20 at once", async () => {
  const send = await accepted({ messageCount: 20 });
  await Promise.all(
    send.request.to.map((_, index) => store.recordFacts([rendered(send, 1, 0, index)])),
  );
  const messages = await store.listMessages(send.accountId, send._id);
  assert.equal(messages?.length, 20);
  assert.ok(
    messages?.every(({ state, timeline }) => state === "rendered" && timeline.length === 2),
  );
});

test("recordFacts() asks for missing documents all at once, however many sends there are", async () => {
  const sends = await Promise.all(Array.from({ length: 60 }, () => accepted()));
  const commands: string[] = [];
  const client = new MongoClient(opened.url, { monitorCommands: true });
  try {
    client.on("commandStarted", ({ commandName }) => commands.push(commandName));
    await factFold(client.db()).recordFacts(sends.map((send) => rendered(send, 1)));
  } finally {
    await client.close();
  }
  for (const send of sends) assert.equal((await read(send)).state, "rendered");
  const ofLedger = commands.filter((name) =>
    ["find", "getMore", "insert", "update"].includes(name)
  );
  assert.deepEqual(ofLedger, ["update", "find", "find", "insert", "update", "find"]);
});

test("recordFacts() adds late facts to the timeline but no failure that came too late, and never takes a sent message back", async () => {
  const send = await accepted();
  await store.claimMessage(claimOf(send, 0, at(5)));
  await store.recordFacts([rendered(send, 1), failed(send, 2)]);
  assert.equal((await read(send)).state, "sending");
  const messageId = messageIdOf(send._id, 0);
  assert.ok(await store.markSent({ messageId, attempt: 1, at: at(6) }));
  await store.recordFacts([printed(send, 3), failed(send, 4)]);
  const message = await read(send);
  assert.deepEqual([message.state, message.reason, message.finishedAt], ["sent", null, at(6)]);
  assert.deepEqual(await linesOf(send), [
    ...["queued 0", "rendered 1", "printed 3", "sending 5", "sent 6"],
  ]);
});

test("recordFacts() fails a message for good, with the reason as it is", async () => {
  const send = await accepted();
  await store.recordFacts([failed(send, 2), rendered(send, 1)]);
  const message = await read(send);
  assert.deepEqual(
    [message.state, message.reason, message.finishedAt],
    ["failed", "$it never ended", at(2)],
  );
  assert.deepEqual(message.timeline.at(-1)?.detail, "$it never ended");
  assert.equal((await store.claimMessage(claimOf(send, 0, at(5)))).claimed, false);
});

test("recordFacts() fails a deferred message by its own attempt, not by an earlier one", async () => {
  const send = await accepted();
  const messageId = messageIdOf(send._id, 0);
  await store.claimMessage(claimOf(send, 0, at(1)));
  await store.markDeferred({ messageId, attempt: 1, at: at(2), reason: "busy", nextAt: at(50) });
  await store.recordFacts([failed(send, 3)]);
  assert.deepEqual([(await read(send)).state, (await read(send)).nextAt], ["deferred", at(50)]);
  await store.recordFacts([rendered(send, 4, 1), failed(send, 5, { attempt: 1 })]);
  assert.deepEqual([(await read(send)).state, (await read(send)).nextAt], ["failed", null]);
});

test("recordFacts() leaves the mailer's failures out, and tells whose send is unknown", async () => {
  const send = await accepted();
  await store.recordFacts([failed(send, 1, { stage: "mailer" })]);
  assert.equal((await read(send)).state, "queued");
  const stranger = sendOf();
  const { orphans } = await store.recordFacts([rendered(stranger, 1), rendered(send, 2)]);
  assert.deepEqual(orphans, [messageIdOf(stranger._id, 0)]);
  assert.equal((await read(send)).state, "rendered");
  assert.deepEqual(await store.recordFacts([]), { orphans: [] });
});
