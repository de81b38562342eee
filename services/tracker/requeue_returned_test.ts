import { messageIdOf, type Send } from "@posthaste/contracts";
import { takeAttempt } from "@posthaste/kit";
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Returned } from "./flow.ts";
import { ago, NOW, openTestScheduler } from "./_test_scheduler.ts";

const KEY = "acc_1/4";
/** When small sends that wait have waited long. */
const LATER = new Date(NOW.getTime() + 6000);
const BUSY = { isServerBusy: true };
const SMALL = { priority: "transactional" } as const;

/** Returns the attempt of a message that comes back. */
function attemptOf({ _id: sendId, acceptedAt }: Send, index = 0): Returned {
  return { messageId: messageIdOf(sendId, index), attempt: 0, sendId, index, acceptedAt };
}

async function openRequeueing() {
  const scheduler = await openTestScheduler([{ id: 4 }]);
  const { flow, store } = scheduler;
  return {
    ...scheduler,
    comeBack(send: Send, indexes: readonly number[] = [0], stage?: "pdf") {
      for (const index of indexes) {
        const attempt = { ...attemptOf(send, index), stage };
        flow.keepReturned(KEY, attempt, stage === "pdf" ? { isServerBusy: false } : BUSY);
      }
    },
    listWaiting: () => store.waiting.listSends(KEY, { limit: 99 }),
    isBlocked: async () => (await store.integrations.listBlocked(LATER)).has(KEY),
    /** Runs rounds in which the server takes everything. Returns what was dispatched, in the order of the sends' ids. */
    async drain(rounds: number) {
      const taken = [];
      for (let round = 0; round < rounds; round++) {
        await scheduler.schedule();
        // What one round dispatches has no order.
        const dispatched = scheduler.take().toSorted((one, other) =>
          one.messageId < other.messageId ? -1 : 1
        );
        for (const { messageId, attempt } of dispatched) {
          await takeAttempt(store, { messageId, attempt: attempt + 1 });
          flow.end({ messageId, attempt });
        }
        taken.push(...dispatched);
        scheduler.pass(1000);
      }
      return taken;
    },
  };
}

test("small sends that a mailer returned wait in the ledger, and go in the order of their acceptance", async () => {
  await using scheduler = await openRequeueing();
  const sends: Send[] = [];
  for (let n = 0; n < 20; n++) {
    sends.push(await scheduler.accept({ ...SMALL, acceptedAt: ago(20 - n) }));
  }
  assert.equal(await scheduler.isBlocked(), false);
  for (const send of sends.toReversed()) scheduler.comeBack(send);
  await scheduler.schedule();
  const [trial, ...more] = scheduler.take();
  assert.deepEqual(
    [trial?.sendId, more.length],
    [sends[0]?._id, 0],
    "one shows if it takes mail",
  );
  assert.deepEqual(scheduler.flow.returned(KEY), []);
  assert.equal(await scheduler.isBlocked(), true, "new ones wait behind them");

  if (trial) scheduler.flow.end(trial);
  const taken = await scheduler.drain(20);
  assert.deepEqual(taken.map(({ sendId }) => sendId), sends.slice(1).map(({ _id }) => _id));
  assert.deepEqual(new Set(taken.map(({ priority }) => priority)), new Set(["transactional"]));
  assert.equal(await scheduler.isBlocked(), false);
});

test("what a printer returned lets no other mail wait, and goes after small sends that wait", async () => {
  await using scheduler = await openRequeueing();
  const withPdf = await scheduler.accept({ ...SMALL, acceptedAt: ago(9000), messageCount: 10 });
  scheduler.comeBack(withPdf, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], "pdf");
  const small = await scheduler.wait({ ...SMALL, messageCount: 4 });
  const large = await scheduler.wait({ messageCount: 99, acceptedAt: ago(99_000) });
  await scheduler.schedule();
  const taken = scheduler.take();
  assert.deepEqual(taken.map(({ sendId }) => sendId), [
    ...Array(4).fill(small._id),
    ...Array(6).fill(withPdf._id),
  ]);
  assert.deepEqual(taken.at(-1)?.priority, "bulk");
  assert.equal(scheduler.flow.returned(KEY).length, 4);
  for (const attempt of taken) scheduler.flow.end(attempt);
  await scheduler.schedule();
  assert.deepEqual(scheduler.take().slice(0, 5).map(({ sendId }) => sendId), [
    ...Array(4).fill(withPdf._id),
    large._id,
  ]);
});

test("a flood that printers return waits in the ledger beyond 1,000 messages, with bulk priority", async () => {
  await using scheduler = await openRequeueing();
  const remembered = await scheduler.accept({ ...SMALL, acceptedAt: ago(9000) });
  for (let n = 0; n < 1000; n++) {
    const attempt = { ...attemptOf(remembered), messageId: `msg_${n}`, stage: "pdf" as const };
    scheduler.flow.keepReturned(KEY, attempt, { isServerBusy: false });
  }
  const send = await scheduler.accept({ ...SMALL, messageCount: 3 });
  scheduler.comeBack(send, [1, 2], "pdf");
  await scheduler.schedule();
  const [waiting] = await scheduler.listWaiting();
  assert.deepEqual([waiting?._id, waiting?.next, waiting?.priority], [send._id, 1, "bulk"]);
  assert.equal(await scheduler.isBlocked(), false);
});

test("messages of a large send that came back stay in the scheduler, and small sends go before them", async () => {
  await using scheduler = await openRequeueing();
  const large = await scheduler.accept({ messageCount: 140 });
  for (let index = 0; index < 140; index++) scheduler.flow.begin(KEY, attemptOf(large, index));
  for (let index = 0; index < 4; index++) scheduler.flow.end(attemptOf(large, index));
  scheduler.comeBack(large, Array.from({ length: 130 }, (_, index) => 4 + index));
  const small = await scheduler.accept(SMALL);
  scheduler.comeBack(small);
  for (let index = 134; index < 140; index++) scheduler.flow.end(attemptOf(large, index));
  await scheduler.schedule();
  const [first, second] = scheduler.take();
  assert.deepEqual([first?.sendId, second?.messageId], [small._id, messageIdOf(large._id, 4)]);
});

test("messages of a large send that came back go in their order, also those that came back twice", async () => {
  await using scheduler = await openRequeueing();
  const large = await scheduler.accept({ messageCount: 20 });
  scheduler.comeBack(large, [5, 6, 7]);
  await scheduler.schedule();
  const [trial] = scheduler.take();
  assert.equal(trial?.messageId, messageIdOf(large._id, 5));
  scheduler.comeBack(large, [5]);
  assert.deepEqual(scheduler.flow.returned(KEY).map(({ index }) => index), [5, 6, 7]);
});

test("recipients of a send are dispatched once each, in whatever order they came back", async () => {
  await using scheduler = await openRequeueing();
  const send = await scheduler.accept({ ...SMALL, messageCount: 4 });
  scheduler.comeBack(send, [2, 3]);
  const early = await scheduler.drain(1);
  scheduler.comeBack(send, [0, 1]);
  const taken = [...early, ...await scheduler.drain(10)].map(({ messageId }) => messageId);
  assert.deepEqual(taken.toSorted(), [0, 1, 2, 3].map((index) => messageIdOf(send._id, index)));
});

test("a send that waits again dispatches no recipient that is in flight", async () => {
  await using scheduler = await openRequeueing();
  const send = await scheduler.accept({ ...SMALL, messageCount: 3 });
  await scheduler.store.waiting.requeueSends([{ id: send._id, index: 0, by: "mailer" }]);
  scheduler.flow.begin(KEY, attemptOf(send, 1));
  await scheduler.schedule();
  const dispatched = [0, 2].map((index) => messageIdOf(send._id, index));
  assert.deepEqual(scheduler.take().map(({ messageId }) => messageId), dispatched);
});

test("recipients of a small send that waits again may be under way, whichever stage returned it", async () => {
  for (const by of ["mailer", "pdf"] as const) {
    await using scheduler = await openRequeueing();
    const send = await scheduler.accept({ ...SMALL, messageCount: 3 });
    await scheduler.store.waiting.requeueSends([{ id: send._id, index: 0, by }]);
    await scheduler.schedule();
    assert.deepEqual(scheduler.take().map(({ redelivered }) => redelivered), [true, true, true]);
  }
});

test("a later attempt is left to the ledger, which knows when it is due", async () => {
  await using scheduler = await openRequeueing();
  const send = await scheduler.defer(SMALL);
  scheduler.flow.keepReturned(KEY, { ...attemptOf(send), attempt: 1 }, BUSY);
  await scheduler.schedule();
  assert.deepEqual(await scheduler.listWaiting(), []);
  await scheduler.due();
  assert.deepEqual(scheduler.take().map(({ attempt }) => attempt), [1]);
});

test("a message that was canceled does not let its send wait again", async () => {
  await using scheduler = await openRequeueing();
  const send = await scheduler.accept(SMALL);
  await scheduler.store.messages.cancelSend("acc_1", send._id, NOW);
  scheduler.comeBack(send);
  await scheduler.schedule();
  assert.deepEqual(await scheduler.listWaiting(), []);
  assert.equal(scheduler.flow.knows(attemptOf(send)), false);
});
