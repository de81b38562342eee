import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "node:test";
import { openTestStore } from "./_test_store.ts";

test("takeLeaderLease() grants a leader lease to one of many concurrent claims, and renews only that one", async () => {
  await using open = await openTestStore();
  const { store } = open;
  const holders = Array.from({ length: 8 }, (_, number) => `tracker-${number}`);
  const ask = (holder: string) => store.leases.take({ name: "release", holder, forMs: 60_000 });
  const first = await Promise.all(holders.map(ask));
  assert.equal(first.filter(Boolean).length, 1);
  assert.deepEqual(await Promise.all(holders.map(ask)), first);
  assert.equal(await store.leases.take({ name: "other", holder: "x", forMs: 1 }), true);
});

test("takeLeaderLease() takes over a lease that was released, or not renewed in its time", async () => {
  await using open = await openTestStore();
  const { store } = open;
  const [lost, other] = ["lost", "other"].map((holder) => ({
    name: "release",
    holder,
    forMs: 100,
  }));
  assert.ok(lost && other);
  assert.equal(await store.leases.take(lost), true);
  await store.leases.leave(other);
  assert.equal(await store.leases.take(other), false);
  await delay(150);
  assert.equal(await store.leases.take(other), true);
  await store.leases.leave(other);
  assert.equal(await store.leases.take(lost), true);
});
