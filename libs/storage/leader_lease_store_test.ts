import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "node:test";
import { openTestStore } from "./_test_store.ts";

test("takeLeaderLease() grants a leader lease to one of many concurrent claims, and renews only that one", async () => {
  await using open = await openTestStore();
  const { store } = open;
  const holders = Array.from({ length: 8 }, (_, number) => `tracker-${number}`);
  const ask = async (holder: string) => {
    const claim = { name: "release", holder, forMs: 60_000, knownRenewals: 0 };
    return (await store.leases.take(claim)).is;
  };
  const first = await Promise.all(holders.map(ask));
  assert.equal(first.filter((is) => is === "taken").length, 1);
  assert.deepEqual(await Promise.all(holders.map(ask)), first);
  const other = { name: "other", holder: "x", forMs: 1, knownRenewals: 0 };
  assert.deepEqual(await store.leases.take(other), { is: "taken", renewals: 1 });
  assert.equal(await store.leases.renewals("release"), 2);
  assert.equal(await store.leases.renewals("none"), 0);
});

test("takeLeaderLease() takes over a lease that was released, or not renewed in its time", async () => {
  await using open = await openTestStore();
  const { store } = open;
  const [lost, other] = ["lost", "other"].map((holder) => ({
    name: "release",
    holder,
    forMs: 100,
    knownRenewals: 0,
  }));
  assert.ok(lost && other);
  assert.equal((await store.leases.take(lost)).is, "taken");
  await store.leases.leave(other);
  assert.equal((await store.leases.take(other)).is, "held");
  await delay(150);
  assert.equal((await store.leases.take(other)).is, "taken");
  await store.leases.leave(other);
  assert.equal((await store.leases.take(lost)).is, "taken");
});

test("takeLeaderLease() grants nobody a lease in a ledger that lacks known renewals", async () => {
  await using open = await openTestStore();
  const { leases } = open.store;
  const claim = { name: "release", holder: "leader", forMs: 60_000 };
  // The ledger was restored to a time before the first leader.
  assert.deepEqual(await leases.take({ ...claim, knownRenewals: 1 }), { is: "outdated" });
  await leases.take({ ...claim, knownRenewals: 0 });
  assert.deepEqual(await leases.take({ ...claim, knownRenewals: 1 }), {
    is: "taken",
    renewals: 2,
  });
  assert.deepEqual(await leases.take({ ...claim, knownRenewals: 3 }), { is: "outdated" });
  assert.equal(await leases.renewals("release"), 2);
});
