import { messageIdOf } from "@posthaste/contracts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { ago, NOW, openTestScheduler } from "./_test_scheduler.ts";

const KEY = "acc_1/4";

/** Lets the first message of sends that the api dispatched come back. */
async function openReturned(count: number, changes: { priority?: "bulk" } = {}) {
  const scheduler = await openTestScheduler([{ id: 4 }]);
  for (let n = 0; n < count; n++) {
    const { _id: sendId, acceptedAt } = await scheduler.accept({
      ...{ priority: "transactional", acceptedAt: ago(count - n), ...changes },
    });
    const attempt = { messageId: messageIdOf(sendId, 0), attempt: 0, sendId, index: 0, acceptedAt };
    scheduler.flow.keepReturned(KEY, attempt, { isServerBusy: false });
  }
  return scheduler;
}

test("the scheduler remembers 500 small sends that came back, and the newer ones wait in the ledger", async () => {
  await using scheduler = await openReturned(520);
  const { flow, store } = scheduler;
  const isBlocked = async () => (await store.integrations.listBlocked(NOW)).has(KEY);
  assert.equal(await isBlocked(), false);
  await scheduler.schedule();
  const waiting = await store.waiting.listSends(KEY, { limit: 99 });
  assert.deepEqual([flow.returned(KEY).length, waiting.length], [490, 20]);
  assert.equal(await isBlocked(), true, "new ones wait behind them");

  const taken: string[] = [];
  for (let round = 0; round < 100 && taken.length < 520; round++) {
    for (const attempt of scheduler.take()) {
      taken.push(attempt.sendId);
      flow.end(attempt);
    }
    scheduler.pass(1000);
    await scheduler.schedule();
  }
  assert.equal(new Set(taken).size, 520);
  assert.deepEqual(taken.slice(500).toSorted(), waiting.map(({ _id }) => _id).toSorted());
  assert.equal(await isBlocked(), false);
});

test("a send that waits again goes on with bulk priority", async () => {
  await using scheduler = await openReturned(501);
  const { flow } = scheduler;
  await scheduler.schedule();
  for (const attempt of [...scheduler.take(), ...flow.returned(KEY)]) flow.release(attempt);
  await scheduler.schedule();
  assert.deepEqual(scheduler.take().map(({ priority }) => priority), ["bulk"]);
});

test("parts of large sends that came back are remembered, whatever their number", async () => {
  await using scheduler = await openReturned(505, { priority: "bulk" });
  await scheduler.schedule();
  const taken = scheduler.take().length;
  assert.equal(scheduler.flow.returned(KEY).length + taken, 505);
  assert.deepEqual(await scheduler.store.waiting.listSends(KEY, { limit: 9 }), []);
});
