import assert from "node:assert/strict";
import { test } from "node:test";
import { renderStep, requested } from "./_test_bus.ts";
import { MAX_LOST, MAX_TRIES, retryDelayMs, runStep, UNTRIED } from "./step.ts";

const signal = new AbortController().signal;

function run(handle: () => Promise<never>, tries = UNTRIED) {
  return runStep(renderStep(handle), requested("acc_1"), { tries, signal });
}

test("runStep() makes a retry of what a step throws, and knows an outage", async () => {
  const plain = new Error("oops");
  assert.deepEqual(await run(() => Promise.reject(plain)), {
    type: "retry",
    reason: plain,
    outage: false,
  });
  const isOutage = async (error: unknown) => {
    const verdict = await run(() => Promise.reject(error));
    return verdict.type === "retry" && verdict.outage;
  };
  for (const code of ["ECONNREFUSED", "ETIMEDOUT", "ENOSPC"]) {
    assert.ok(await isOutage(Object.assign(new Error(code), { code })), code);
  }
  assert.ok(await isOutage(Object.assign(new Error(), { name: "MongoServerSelectionError" })));
  assert.ok(!await isOutage(Object.assign(new Error(), { code: 11000 })));
  assert.ok(!await isOutage("a text"));
});

test("runStep() gives up an event that failed, or was lost with its worker, too often", async () => {
  let worked = 0;
  const handle = () => Promise.reject(new Error(`${++worked}`));
  await run(handle, { failed: MAX_TRIES - 1, lost: MAX_LOST - 1 });
  assert.equal(worked, 1);
  assert.deepEqual(await run(handle, { failed: MAX_TRIES, lost: 0 }), {
    type: "fail",
    reason: "given up after 5 tries",
  });
  assert.deepEqual(await run(handle, { failed: 0, lost: MAX_LOST }), {
    type: "fail",
    reason: "given up after 8 workers crashed on it",
  });
  assert.equal(worked, 1);
});

test("retryDelayMs() doubles from a quarter of a second up to 5 s", () => {
  assert.deepEqual([1, 2, 3, 4, 5, 6, 100].map(retryDelayMs), [
    250,
    500,
    1000,
    2000,
    4000,
    5000,
    5000,
  ]);
});
