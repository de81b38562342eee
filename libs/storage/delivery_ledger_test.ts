import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { advance, beginDot, beginVoid, replied } from "@posthaste/delivery";
import { testSend } from "@posthaste/kit";
import { setTimeout as delay } from "node:timers/promises";
import type { Document } from "mongodb";
import { identityOf, type MessageIdentity } from "./message_identity.ts";
import { openTestStore, type TestStore } from "./_test_store.ts";
import type { AttemptOutcome } from "./stored_register.ts";

let opened: TestStore;
before(async () => {
  opened = await openTestStore();
});
after(() => opened?.[Symbol.asyncDispose]());

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds));

function messageOfNew(): MessageIdentity {
  const message = identityOf(testSend(), 0);
  assert.ok(message);
  return message;
}

function outcomeOf(
  state: AttemptOutcome["state"],
  { n, seconds, ...rest }: { n: number; seconds: number } & Partial<AttemptOutcome>,
): AttemptOutcome {
  const line = { at: at(seconds), type: state, attempt: n };
  return { state, at: at(seconds), lines: [line], ...rest };
}

const stored = ({ messageId }: MessageIdentity) =>
  opened.db.collection<Document & { _id: string }>("messages").findOne({ _id: messageId });

test("a message without complications costs two inserts and no update", async () => {
  const { store, db } = opened;
  const message = messageOfNew();
  await db.command({ profile: 2 });
  const ledger = store.registers.ledgerOf(message, { waitMs: 900_000 });
  assert.equal((await advance(beginDot({ n: 1, by: "one" }), ledger)).phase, "dot");
  const sent = outcomeOf("sent", { n: 1, seconds: 1, reply: { code: 250 }, mimeHash: "ab" });
  await advance(replied({ n: 1 }, { outcome: sent, certainty: "accepted" }), ledger);
  await db.command({ profile: 0 });
  const operations = await db.collection("system.profile")
    .find({ ns: /\.(messages|attempts)$/ }).project({ _id: 0, op: 1, ns: 1 }).toArray();
  assert.deepEqual(operations.map(({ op, ns }) => `${op} ${ns.split(".").at(-1)}`), [
    "insert attempts",
    "insert messages",
  ]);
  assert.deepEqual(await stored(message), {
    _id: message.messageId,
    ...{ sendId: message.sendId, accountId: "acc_1", index: 0, email: "r0@example.com" },
    integration: "acc_1/1",
    ...{ state: "sent", attempt: 1, sentBy: 1, unknownAttempts: [], acceptedAt: at(0) },
    ...{ finishedAt: at(1), nextAt: null, reason: null, reply: { code: 250 }, mimeHash: "ab" },
    ...{ waitsFor: null, timeline: sent.lines },
  });
});

test("of all processes that end an attempt, by the dot or otherwise, one gets its register", async () => {
  const { store } = opened;
  const message = messageOfNew();
  const outcome = outcomeOf("canceled", { n: 1, seconds: 2 });
  const endings = await Promise.all(Array.from({ length: 20 }, (_, worker) => {
    const by = `worker ${worker}`;
    const begun = worker % 2 === 0
      ? beginDot<AttemptOutcome>({ n: 1, by })
      : beginVoid({ n: 1, by, outcome });
    return advance(begun, store.registers.ledgerOf(message));
  }));
  const winners = endings.filter((ending) =>
    ending.phase === "dot" || ending.phase === "end" && ending.result === "written"
  );
  assert.equal(winners.length, 1);
  const registers = await store.registers.find([
    { messageId: message.messageId, n: 1 },
    { messageId: message.messageId, n: 2 },
  ]);
  assert.deepEqual([...registers.keys()], [`${message.messageId}/1`]);
});

test("an outcome is written after the previous one, once, and never over `sent`", async () => {
  const { store } = opened;
  const message = messageOfNew();
  const ledger = store.registers.ledgerOf(message);
  const write = (n: number, outcome: AttemptOutcome) =>
    ledger.perform({ op: "writeOutcome", n, outcome });
  const busy = outcomeOf("deferred", { n: 1, seconds: 1, nextAt: at(61), reason: "busy" });
  assert.deepEqual(await write(2, busy), { type: "written", isApplied: false });
  assert.deepEqual(await write(1, busy), { type: "written", isApplied: true });
  assert.deepEqual(await write(1, outcomeOf("sent", { n: 1, seconds: 3 })), {
    type: "written",
    isApplied: false,
  });
  const sent = outcomeOf("sent", { n: 2, seconds: 70 });
  assert.deepEqual(await write(2, sent), { type: "written", isApplied: true });
  assert.deepEqual(await write(3, outcomeOf("failed", { n: 3, seconds: 80 })), {
    type: "written",
    isApplied: false,
  });
  const found = await stored(message);
  assert.deepEqual([found?.["state"], found?.["attempt"], found?.["nextAt"]], ["sent", 2, null]);
  assert.deepEqual(found?.["timeline"], [...busy.lines, ...sent.lines]);
});

test("a mail that the server took after all is `sent`, although it was `unknown` and retried", async () => {
  const { store } = opened;
  const message = messageOfNew();
  const ledger = store.registers.ledgerOf(message, { waitMs: 0 });
  await advance(beginDot({ n: 1, by: "slow" }), ledger);
  const unknown = outcomeOf("deferred", { n: 1, seconds: 9, nextAt: at(10), unknownAttempt: 1 });
  await ledger.perform({ op: "writeOutcome", n: 1, outcome: unknown });
  const sent = outcomeOf("sent", { n: 1, seconds: 12 });
  const ending = await advance(
    replied({ n: 1 }, { outcome: sent, certainty: "accepted" }),
    ledger,
  );
  assert.deepEqual(ending, { phase: "end", result: "late" });
  const found = await stored(message);
  assert.deepEqual(
    [found?.["state"], found?.["attempt"], found?.["sentBy"], found?.["unknownAttempts"]],
    ["sent", 2, 1, [1]],
  );
  const next = await advance(beginDot({ n: 2, by: "again" }), ledger);
  assert.ok(next.phase === "end" && next.result === "abandoned");
});

test("findRegisters() decides by the database's clock whether the time for the reply is over", async () => {
  const { store } = opened;
  const [short, long] = [messageOfNew(), messageOfNew()];
  await advance(beginDot({ n: 1, by: "a" }), store.registers.ledgerOf(short, { waitMs: 0 }));
  await advance(beginDot({ n: 1, by: "b" }), store.registers.ledgerOf(long, { waitMs: 60_000 }));
  // The timestamp of a register counts whole seconds and a number within each.
  await delay(1100);
  const found = await store.registers.find(
    [short, long].map(({ messageId }) => ({ messageId, n: 1 })),
  );
  const { at: takenAt, ...over } = found.get(`${short.messageId}/1`) ?? {};
  assert.deepEqual(over, { register: { by: "a", dot: true }, isOver: true });
  assert.ok(takenAt && Math.abs(takenAt.getTime() - Date.now()) < 30_000);
  assert.equal(found.get(`${long.messageId}/1`)?.isOver, false);
});

test("a timeline ends with what the ledger learned last, even if the server replied earlier", async () => {
  const { store } = opened;
  const shownLines = async ({ messageId, accountId }: MessageIdentity) =>
    (await store.messages.find(accountId, messageId))?.timeline.map(({ type }) => type);
  const learned = async (state: "sent" | "deferred", certainty: "accepted" | "refused") => {
    const message = messageOfNew();
    const ledger = store.registers.ledgerOf(message);
    await advance(beginDot({ n: 1, by: "slow" }), ledger);
    const sending = { at: at(1), type: "sending" as const, attempt: 1 };
    const unknown = outcomeOf("unknown", { n: 1, seconds: 9, unknownAttempt: 1 });
    unknown.lines.unshift(sending);
    await ledger.perform({ op: "writeOutcome", n: 1, outcome: unknown });
    const outcome = outcomeOf(state, { n: 1, seconds: 2 });
    outcome.lines.unshift(sending);
    await advance(replied({ n: 1 }, { outcome, certainty }), ledger);
    return await shownLines(message);
  };
  assert.deepEqual(await learned("deferred", "refused"), [
    ...["queued", "sending", "unknown", "deferred"],
  ]);
  assert.deepEqual(await learned("sent", "accepted"), ["queued", "sending", "unknown", "sent"]);
});

test("an outcome names the integration that was not reached, until the next one; a register names the fallback", async () => {
  const { store } = opened;
  const message = messageOfNew();
  const unreached = outcomeOf("deferred", { n: 1, seconds: 1, nextAt: at(2), unreached: 1 });
  const own = store.registers.ledgerOf(message);
  await advance(beginVoid({ n: 1, by: "one", outcome: unreached }), own);
  assert.equal((await stored(message))?.["unreached"], 1);
  const [due] = await store.waiting.dueMessages("acc_1/1", { now: at(3), limit: 1000 });
  assert.ok(due);
  assert.deepEqual([due.unreached, due.unknownAttempts], [1, []]);
  const other = store.registers.ledgerOf(message, { fallback: 5 });
  await advance(beginDot({ n: 2, by: "two" }), other);
  const found = await store.registers.find([{ messageId: message.messageId, n: 2 }]);
  assert.equal(found.get(`${message.messageId}/2`)?.fallback, 5);
  const busy = outcomeOf("deferred", { n: 2, seconds: 4, nextAt: at(5) });
  await advance(replied({ n: 2 }, { outcome: busy, certainty: "refused" }), other);
  const last = await stored(message);
  assert.deepEqual([last?.["unreached"], last?.["integration"]], [null, "acc_1/1"]);
});
