import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { examinedBy, openTestStore, type TestStore } from "./_test_store.ts";
import type { ResultsNote } from "./integration_results.ts";

let opened: TestStore;
before(async () => {
  opened = await openTestStore();
});
after(() => opened[Symbol.asyncDispose]());

const NOON = Date.parse("2026-03-01T12:00:00Z");
const at = (minutes: number) => new Date(NOON + minutes * 60_000);
const sent = (minutes: number): Partial<ResultsNote> => ({
  lastSent: { at: at(minutes), messageId: `msg_${minutes}` },
});
const failed = (minutes: number, from = minutes): Partial<ResultsNote> => ({
  lastFailed: { at: at(minutes), messageId: `msg_${minutes}`, reason: "$not now" },
  failedFrom: at(from),
});

async function resultAfter(accountId: string, notes: Partial<ResultsNote>[]) {
  for (const note of notes) {
    await opened.store.integrations.noteResults([{ accountId, id: 2, ...note }]);
  }
  return (await opened.store.integrations.listResults(accountId, at(60))).get(2);
}

test("noteResults() keeps the latest, whatever the order and however often it is noted", async () => {
  const notes = [sent(0), failed(3, 1), sent(5), failed(20, 7), failed(15)];
  const expected = {
    lastSent: { at: at(5), messageId: "msg_5" },
    lastFailed: { at: at(20), messageId: "msg_20", reason: "$not now" },
    ...{ failingSince: at(7), attempts: 0, sent: 0 },
  };
  assert.deepEqual(await resultAfter("acc_1", notes), expected);
  assert.deepEqual(await resultAfter("acc_1", notes), expected);
  assert.deepEqual(await resultAfter("acc_2", notes.toReversed()), expected);
  const recovered = await resultAfter("acc_1", [sent(21)]);
  assert.equal(recovered?.failingSince, null);
  assert.deepEqual((await resultAfter("acc_3", [failed(1)]))?.lastSent, null);
  assert.equal((await opened.store.integrations.listResults("acc", at(60))).size, 0);
});

test("listResults() counts the attempts of 24 hours", async () => {
  const { store } = opened;
  const bucket = (minutes: number) => ({ accountId: "acc_4", at: at(minutes) });
  await store.statistics.note([
    { ...bucket(0), sent: 9, integrations: { 2: { sent: 7, failed: 1, deferred: 2 } } },
    { ...bucket(30), sent: 9, integrations: { 2: { sent: 2, unknown: 1 }, 3: { sent: 5 } } },
    { ...bucket(-24 * 60), integrations: { 2: { sent: 100 } } },
  ]);
  await store.integrations.noteResults([{ accountId: "acc_4", id: 2, ...sent(30) }]);
  const result = (await store.integrations.listResults("acc_4", at(60))).get(2);
  assert.deepEqual([result?.attempts, result?.sent], [13, 9]);
  assert.deepEqual(await store.integrations.findResult("acc_4", 2, at(60)), result);
  assert.equal(await store.integrations.findResult("acc_4", 3, at(60)), undefined);
});

test("findResult() reads the results of one integration, however many there are", async () => {
  const { store, db } = opened;
  const notes = Array.from({ length: 40 }, (_, id) => ({ accountId: "acc_5", id, ...sent(id) }));
  await store.integrations.noteResults(notes);
  const examined = await examinedBy(db, "integration_results", async () => {
    const found = await store.integrations.findResult("acc_5", 7, at(60));
    assert.deepEqual(found?.lastSent?.at, at(7));
  });
  assert.equal(examined, 1);
});
