import type { LeaseRenewal } from "@posthaste/messaging";
import { openBus } from "@posthaste/messaging";
import { openTestMongo, openTestNats } from "@posthaste/kit";
import { type LeaderLeaseAnswer, openStore, SCHEDULER_LEASE } from "@posthaste/storage";
import assert from "node:assert/strict";
import { test } from "node:test";
import { type LeaderLeaseDeps, openLeaderLease } from "./leader_lease.ts";

/** A ledger with one lease, and a broker. */
function openWorld() {
  const world = {
    asked: [] as string[],
    left: [] as string[],
    logged: [] as string[],
    holder: undefined as string | undefined,
    renewals: 0,
    reported: undefined as LeaseRenewal | undefined,
    isLedgerAway: false,
    isBrokerAway: false,
  };
  const deps: LeaderLeaseDeps = {
    leases: {
      take({ holder, knownRenewals }): Promise<LeaderLeaseAnswer> {
        if (world.isLedgerAway) return Promise.reject(new Error("the ledger is away"));
        world.asked.push(holder);
        if (world.renewals < knownRenewals) return Promise.resolve({ is: "outdated" });
        world.holder ??= holder;
        if (world.holder !== holder) return Promise.resolve({ is: "held" });
        return Promise.resolve({ is: "taken", renewals: ++world.renewals });
      },
      leave({ holder }) {
        world.left.push(holder);
        return Promise.resolve();
      },
    },
    lastRenewal: () =>
      world.isBrokerAway
        ? Promise.reject(new Error("the broker is away"))
        : Promise.resolve(world.reported),
    reportRenewal(renewals) {
      if (world.isBrokerAway) return Promise.reject(new Error("the broker is away"));
      world.reported = { renewals, at: new Date(0) };
      return Promise.resolve();
    },
    logger: {
      info: (text) => void world.logged.push(text),
      warn: (text) => void world.logged.push(text),
    },
  };
  return { world, deps, options: { name: "release" } };
}

test("renew() is true for one of two, who counts its renewals", async () => {
  const { world, deps, options } = openWorld();
  {
    await using first = openLeaderLease(deps, options);
    await using second = openLeaderLease(deps, options);
    assert.deepEqual([await first.renew(), await second.renew()], [true, false]);
    assert.deepEqual([await first.renew(), await second.renew()], [true, false]);
    assert.equal(world.asked.length, 4);
    assert.equal(world.reported?.renewals, 2);
  }
  assert.deepEqual(world.left, [world.asked[0]], "only who has it leaves it");
});

test("renew() throws when the ledger does, and the next one succeeds", async () => {
  const { world, deps, options } = openWorld();
  await using lease = openLeaderLease(deps, options);
  world.isLedgerAway = true;
  await assert.rejects(lease.renew(), /the ledger is away/);
  world.isLedgerAway = false;
  assert.equal(await lease.renew(), true);
});

test("renew() is false in a ledger that lacks a reported renewal, until the report is removed", async () => {
  const { world, deps, options } = openWorld();
  await using lease = openLeaderLease(deps, options);
  assert.throws(() => lease.assertCurrent(), /not checked yet/);
  world.reported = { renewals: 7, at: new Date("2026-11-25T03:00Z") };
  assert.equal(await lease.renew(), false);
  const text =
    /^Cannot act on the ledger: it lacks what happened until 2026-11-25T03:00:00\.000Z\. /;
  assert.throws(() => lease.assertCurrent(), { message: text });
  assert.equal(await lease.renew(), false);
  assert.equal(world.logged.length, 1, "it is logged once");
  assert.match(world.logged[0] ?? "", text);
  world.reported = undefined;
  assert.equal(await lease.renew(), true);
  lease.assertCurrent();
  assert.deepEqual(world.logged.slice(1), ["The ledger is current again"]);
});

test("a leader continues without the broker, and no process begins to lead without it", async () => {
  const { world, deps, options } = openWorld();
  await using leader = openLeaderLease(deps, options);
  await using other = openLeaderLease(deps, options);
  assert.equal(await leader.renew(), true);
  world.isBrokerAway = true;
  assert.equal(await leader.renew(), true);
  assert.equal(await leader.renew(), true);
  assert.deepEqual(world.logged, ["Cannot report that a scheduler leads, retrying"]);
  await assert.rejects(other.renew(), /the broker is away/);
  // The ledger is restored meanwhile: the leader knows it without the broker, and while the ledger is away.
  world.isLedgerAway = true;
  await assert.rejects(leader.renew(), /the ledger is away/);
  Object.assign(world, { isLedgerAway: false, renewals: 1 });
  assert.equal(await leader.renew(), false);
  // The broker returns without its reports.
  Object.assign(world, { isBrokerAway: false, reported: undefined });
  assert.equal(await leader.renew(), false);
});

test("nobody leads in a restored ledger, whatever was sent since, until its messages are held", async () => {
  await using mongo = await openTestMongo();
  await using store = await openStore({ url: mongo.url });
  await store.ensureIndexes();
  await using nats = await openTestNats();
  await using bus = await openBus({ url: nats.url, name: "test" });
  await bus.applyTopology();
  let reports = Promise.resolve();
  const open = () =>
    openLeaderLease({
      ...store,
      lastRenewal: () => bus.lastRenewal(),
      reportRenewal: (renewals) =>
        reports = bus.publish({ type: "status.lease.renewed", data: { v: 2, renewals } }),
      logger: { info: () => undefined, warn: () => undefined },
    }, { name: SCHEDULER_LEASE });
  {
    await using leader = open();
    assert.equal(await leader.renew(), true);
    assert.equal(await leader.renew(), true);
    await reports;
    assert.equal((await bus.lastRenewal())?.renewals, 2);
  }
  // The state of the ledger before it was restored.
  await bus.publish({ type: "status.lease.renewed", data: { v: 2, renewals: 3 } });
  for (let start = 0; start < 2; start++) {
    await using tracker = open();
    assert.equal(await tracker.renew(), false);
    assert.throws(() => tracker.assertCurrent(), /"posthaste restored hold"/);
  }
  await bus.forgetRenewals();
  await using tracker = open();
  assert.equal(await tracker.renew(), true);
});
