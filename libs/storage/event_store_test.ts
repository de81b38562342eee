import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { FeedEventType } from "@posthaste/contracts";
import { openTestStore, type TestStore } from "./_test_store.ts";
import type { NewEvent } from "./recorded_event.ts";

let opened: TestStore;
before(async () => {
  opened = await openTestStore();
});
after(() => opened[Symbol.asyncDispose]());

function eventOf(accountId: string, id: number, type: FeedEventType = "integration.paused") {
  const data = { integrationId: id, reason: "x" };
  return { _id: `evt_${accountId}_${id}`, accountId, type, at: new Date(), data } as NewEvent;
}

test("recordEvents() numbers each feed without gaps, and skips recorded events", async () => {
  const { store } = opened;
  const first = [eventOf("acc_a", 1), eventOf("acc_b", 1), eventOf("acc_a", 2)];
  assert.deepEqual([...await store.events.record(first)].toSorted(), ["acc_a", "acc_b"]);
  // Another process has added an event.
  await opened.db.collection("events").insertOne({
    ...{ _id: "evt_other" as never, accountId: "acc_a", sequence: 3, type: "webhook.test" },
    ...{ at: new Date(), recordedAt: new Date(), data: "{}" },
  });
  const more = [eventOf("acc_a", 2), eventOf("acc_a", 4), eventOf("acc_b", 1), eventOf("acc_b", 2)];
  await store.events.record([...more, ...more]);
  const sequences = async (accountId: string) =>
    (await store.events.list(accountId, { after: 0, limit: 10 })).events
      .map(({ _id, sequence }) => `${_id} ${sequence}`);
  assert.deepEqual(await sequences("acc_a"), [
    ...["evt_acc_a_1 1", "evt_acc_a_2 2", "evt_other 3", "evt_acc_a_4 4"],
  ]);
  assert.deepEqual(await sequences("acc_b"), ["evt_acc_b_1 1", "evt_acc_b_2 2"]);
  assert.deepEqual([...await store.events.record(more)], []);
});

test("listEvents() continues after a sequence, and past events of other types", async () => {
  const { store } = opened;
  const types: FeedEventType[] = ["integration.paused", "integration.resumed"];
  await store.events.record(
    Array.from({ length: 9 }, (_, index) => eventOf("acc_list", index, types[index % 2])),
  );
  const list = async (part: { after: number; types?: FeedEventType[]; limit: number }) => {
    const { events, next } = await store.events.list("acc_list", part);
    return { found: events.map(({ sequence }) => sequence), next };
  };
  assert.deepEqual(await list({ after: 2, limit: 3 }), { found: [3, 4, 5], next: 5 });
  assert.deepEqual(await list({ after: 9, limit: 3 }), { found: [], next: 9 });
  const resumed = { types: ["integration.resumed"] as FeedEventType[] };
  assert.deepEqual(await list({ after: 0, ...resumed, limit: 2 }), { found: [2, 4], next: 4 });
  assert.deepEqual(await list({ after: 6, ...resumed, limit: 2 }), { found: [8], next: 9 });
  assert.deepEqual(await list({ after: 9, ...resumed, limit: 2 }), { found: [], next: 9 });
});

test("removeOldEvents() removes the oldest in a row, and keeps the newest", async () => {
  const { store, db } = opened;
  await store.events.record([1, 2, 3, 4].map((id) => eventOf("acc_old", id)));
  const [before, ago] = [new Date(Date.now() - 1000), new Date(Date.now() - 5000)];
  const age = (sequences: number[]) =>
    db.collection("events").updateMany(
      { accountId: "acc_old", sequence: { $in: sequences } },
      { $set: { recordedAt: ago } },
    );
  // The recorder of the third had a late clock.
  await age([1, 3]);
  assert.equal(await store.events.removeOld("acc_old", before), 1);
  assert.deepEqual(await store.events.bounds("acc_old"), { oldest: 2, newest: 4 });
  await age([2, 4]);
  assert.equal(await store.events.removeOld("acc_old", before), 2);
  assert.deepEqual(await store.events.bounds("acc_old"), { oldest: 4, newest: 4 });
  await store.events.record([eventOf("acc_old", 5)]);
  assert.deepEqual(await store.events.bounds("acc_old"), { oldest: 4, newest: 5 });
  assert.deepEqual(await store.events.bounds("acc_none"), { oldest: 0, newest: 0 });
});

test("removeOldEvents() removes any number", async () => {
  const { store, db } = opened;
  const recordedAt = new Date(Date.now() - 5000);
  const old = Array.from({ length: 12_000 }, (_, n) => ({
    _id: `evt_acc_full_${n + 1}` as never,
    ...{ accountId: "acc_full", sequence: n + 1, recordedAt },
  }));
  await db.collection("events").insertMany(old);
  await store.events.record([eventOf("acc_full", 12_001)]);
  const before = new Date(Date.now() - 1000);
  assert.equal(await store.events.removeOld("acc_full", before), 12_000);
  assert.deepEqual(await store.events.bounds("acc_full"), { oldest: 12_001, newest: 12_001 });
});

test("grownFeeds() returns which feeds have newer events", async () => {
  const { store } = opened;
  await store.events.record([eventOf("acc_grown", 1), eventOf("acc_still", 1)]);
  const feeds = [{ accountId: "acc_grown", after: 0 }, { accountId: "acc_still", after: 1 }];
  assert.deepEqual([...await store.events.grown(feeds)], ["acc_grown"]);
});

test("findEvent() finds only events of its account", async () => {
  const { store } = opened;
  await store.events.record([eventOf("acc_find", 1)]);
  assert.equal((await store.events.find("acc_find", "evt_acc_find_1"))?.sequence, 1);
  assert.equal(await store.events.find("acc_grown", "evt_acc_find_1"), null);
});

test("findEvents() finds the events of an account that are kept, by one command", async () => {
  const { store } = opened;
  await store.events.record([1, 2].map((id) => eventOf("acc_many", id)));
  await store.events.record([eventOf("acc_others", 1)]);
  const ids = ["evt_acc_many_2", "evt_acc_gone_1", "evt_acc_others_1"];
  const found = await store.events.findMany("acc_many", ids);
  assert.deepEqual([...found].map(([id, { sequence }]) => [id, sequence]), [["evt_acc_many_2", 2]]);
});
