import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openTestStore, type TestStore } from "./_test_store.ts";

let opened: TestStore;
before(async () => {
  opened = await openTestStore();
});
after(() => opened[Symbol.asyncDispose]());

const at = (time: string) => new Date(`2026-03-01T${time}Z`);

test("noteStatistics() adds up by account and 5 minutes", async () => {
  const { store } = opened;
  await store.statistics.note([]);
  await store.statistics.note([
    { accountId: "acc_1", at: at("12:00:00"), accepted: 10, sent: 2 },
    { accountId: "acc_1", at: at("12:04:59.999"), sent: 3, failed: 1 },
    { accountId: "acc_1", at: at("12:05:00"), deferred: 4, unknown: 5 },
    { accountId: "acc_10", at: at("12:00:00"), sent: 100 },
  ]);
  await store.statistics.note([{ accountId: "acc_1", at: at("12:01:00"), sent: 1 }]);
  const all = { from: at("00:00:00"), until: at("23:00:00") };
  const none = { accepted: 0, sent: 0, failed: 0, deferred: 0, unknown: 0, suppressed: 0 };
  assert.deepEqual(
    (await store.statistics.list("acc_1", all)).map(({ _id, accountId: _a, ...rest }) => rest),
    [
      { at: at("12:00:00"), ...none, accepted: 10, sent: 6, failed: 1 },
      { at: at("12:05:00"), ...none, deferred: 4, unknown: 5 },
    ],
  );
});

test("listStatistics() returns the buckets of a period", async () => {
  const { store } = opened;
  const times = async (from: string, until: string) =>
    (await store.statistics.list("acc_1", { from: at(from), until: at(until) }))
      .map((bucket) => bucket.at.toISOString().slice(11, 16));
  assert.deepEqual(await times("12:03:00", "12:05:00"), ["12:00"]);
  assert.deepEqual(await times("12:05:00", "12:06:00"), ["12:05"]);
  assert.deepEqual(await times("12:10:00", "13:00:00"), []);
});
