import assert from "node:assert/strict";
import { test } from "node:test";
import { timeBoundOf, type Waits } from "./time_bound.ts";

const WAITS: Waits = {
  ...{ retryMs: 250, circuitMs: 500, transferMs: 4000, replyMs: 2000 },
  ...{ graceMs: 2000, reconcileMs: 200, ackWaitMs: 3000 },
};
const NOTHING = { faultsMs: 0, open: 0, attempts: 0 };

function longer(waits: Partial<Waits>, end = NOTHING): number {
  return timeBoundOf({ ...WAITS, ...waits }, end) - timeBoundOf(WAITS, NOTHING);
}

test("timeBoundOf() grows with the mails that are left: 20 in a second", () => {
  assert.equal(longer({}, { ...NOTHING, open: 100 }), 5000);
});

test("timeBoundOf() follows each setting that makes a mail wait", () => {
  assert.equal(longer({ graceMs: 3000 }), 3000);
  assert.equal(longer({ reconcileMs: 1200 }), 1000);
  assert.equal(longer({ ackWaitMs: 4000 }), 1000);
  assert.equal(longer({ circuitMs: 1000 }), 10_000);
  assert.equal(longer({ transferMs: 60_000 }), 1.1 * 62_000 - 20_000);
});

test("timeBoundOf() allows the wait after as many attempts as were made, and no longer one", () => {
  const waitMs = 12_000;
  const after = (attempts: number) =>
    longer({ retryMs: 10_000 }, { ...NOTHING, attempts }) + waitMs;
  assert.deepEqual([1, 2, 3].map(after), [12_000, 60_000, 180_000]);
});

test("timeBoundOf() grows with the time of the faults: the scheduler pauses as long, and looks are rarer", () => {
  const after = (faultsMs: number) => longer({}, { ...NOTHING, faultsMs });
  // The pause is a minute at most, and the next examination comes after half of the time.
  assert.deepEqual([0, 12_000, 20_000, 200_000].map(after), [0, 2000, 14_000, 142_000]);
});
