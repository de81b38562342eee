import assert from "node:assert/strict";
import { test } from "node:test";
import { openLeaderLease } from "./leader_lease.ts";

function openClock() {
  let now = 0;
  const asked: string[] = [];
  const left: string[] = [];
  return {
    asked,
    left,
    pass: (ms: number) => void (now += ms),
    deps: {
      leases: {
        holder: undefined as string | undefined,
        take({ holder }: { holder: string }) {
          asked.push(holder);
          this.holder ??= holder;
          return Promise.resolve(this.holder === holder);
        },
        leave({ holder }: { holder: string }) {
          left.push(holder);
          return Promise.resolve();
        },
      },
    },
    clock: { now: () => now },
  };
}

test("isMine() renews every two seconds, and is true for one of two", async () => {
  const { deps, clock, pass, asked, left } = openClock();
  const store = {
    leases: {
      take: deps.leases.take.bind(deps.leases),
      leave: deps.leases.leave,
    },
  };
  {
    await using first = openLeaderLease(store, { name: "release", clock });
    await using second = openLeaderLease(store, { name: "release", clock });
    assert.deepEqual([await first.isMine(), await second.isMine()], [true, false]);
    pass(1900);
    assert.deepEqual([await first.isMine(), await second.isMine()], [true, false]);
    assert.equal(asked.length, 2);
    pass(200);
    assert.deepEqual([await first.isMine(), await second.isMine()], [true, false]);
    assert.equal(asked.length, 4);
  }
  assert.deepEqual(left, [asked[0]], "only who has it leaves it");
});

test("isMine() throws when the ledger does, and retries at once", async () => {
  const { deps, clock } = openClock();
  let isAway = true;
  await using leaderLease = openLeaderLease({
    leases: {
      take: () => isAway ? Promise.reject(new Error("away")) : Promise.resolve(true),
      leave: deps.leases.leave,
    },
  }, { name: "release", clock });
  await assert.rejects(leaderLease.isMine(), /away/);
  isAway = false;
  assert.equal(await leaderLease.isMine(), true);
});
