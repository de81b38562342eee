import { messageIdOf, type Send } from "@posthaste/contracts";
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Returned } from "./flow.ts";
import { ago, NOW, openTestScheduler } from "./_test_scheduler.ts";

const KEY = "acc_1/4";
/** When small sends that wait have waited long. */
const LATER = new Date(NOW.getTime() + 6000);
const BUSY = { isServerBusy: false };

type Changes = Partial<Pick<Send, "priority" | "messageCount">> & Pick<Returned, "stage">;

/** Returns the attempt of a message that comes back. */
function attemptOf({ _id: sendId, acceptedAt, priority }: Send, index = 0): Returned {
  return { messageId: messageIdOf(sendId, index), attempt: 0, sendId, index, acceptedAt, priority };
}

/** Lets the first message of small sends that the api dispatched come back. */
async function openReturned(count: number, { stage, ...changes }: Changes = {}) {
  const scheduler = await openTestScheduler([{ id: 4 }]);
  const sends: Send[] = [];
  for (let n = 0; n < count; n++) {
    const acceptedAt = ago(count - n);
    sends.push(await scheduler.accept({ priority: "transactional", acceptedAt, ...changes }));
  }
  for (const send of sends) {
    scheduler.flow.keepReturned(KEY, { ...attemptOf(send), stage }, BUSY);
  }
  const { store } = scheduler;
  return {
    ...scheduler,
    sends,
    listWaiting: () => store.waiting.listSends(KEY, { limit: 99 }),
    isBlocked: async () => (await store.integrations.listBlocked(LATER)).has(KEY),
  };
}

test("the scheduler remembers 50 small sends that came back, and the newer ones wait in the ledger", async () => {
  await using scheduler = await openReturned(70);
  const { flow, isBlocked, listWaiting } = scheduler;
  assert.equal(await isBlocked(), false);
  await scheduler.schedule();
  const waiting = await listWaiting();
  assert.deepEqual([flow.returned(KEY).length, waiting.length], [40, 20]);
  assert.equal(await isBlocked(), true, "new ones wait behind them");

  const taken: string[] = [];
  for (let round = 0; round < 100 && taken.length < 70; round++) {
    for (const attempt of scheduler.take()) {
      taken.push(attempt.sendId);
      flow.end(attempt);
    }
    scheduler.pass(1000);
    await scheduler.schedule();
  }
  assert.equal(new Set(taken).size, 70);
  assert.deepEqual(taken.slice(50).toSorted(), waiting.map(({ _id }) => _id).toSorted());
  assert.equal(await isBlocked(), false);
});

test("mail with PDFs that a printer returned lets no other mail wait", async () => {
  await using scheduler = await openReturned(55, { stage: "pdf" });
  await scheduler.schedule();
  const waiting = await scheduler.listWaiting();
  assert.deepEqual(waiting.map(({ priority }) => priority), Array(5).fill("bulk"));
  assert.equal(await scheduler.isBlocked(), false);
});

test("what went with bulk priority is remembered, whatever its number", async () => {
  await using scheduler = await openReturned(55, { priority: "bulk" });
  await scheduler.schedule();
  assert.equal(scheduler.flow.returned(KEY).length + scheduler.take().length, 55);
  assert.deepEqual(await scheduler.listWaiting(), []);
});

test("recipients of a send are dispatched once each, in whatever order they came back", async () => {
  await using scheduler = await openReturned(50);
  const { flow } = scheduler;
  const send = await scheduler.accept({ priority: "transactional", messageCount: 4 });
  const comeBack = (...indexes: number[]) => {
    for (const index of indexes) {
      flow.keepReturned(KEY, attemptOf(send, index), { isServerBusy: true });
    }
  };
  comeBack(2, 3);
  await scheduler.schedule();
  comeBack(0, 1);
  const taken: string[] = [];
  for (let round = 0; round < 200; round++) {
    await scheduler.schedule();
    for (const attempt of scheduler.take()) {
      taken.push(attempt.messageId);
      flow.end(attempt);
    }
    scheduler.pass(1000);
  }
  assert.deepEqual([taken.length, new Set(taken).size], [54, 54]);
  for (const index of [0, 1, 2, 3]) assert.ok(taken.includes(messageIdOf(send._id, index)));
});

test("a send that waits again dispatches no recipient that is in flight", async () => {
  await using scheduler = await openReturned(0);
  const { flow } = scheduler;
  const send = await scheduler.accept({ priority: "transactional", messageCount: 3 });
  await scheduler.store.waiting.requeueSends([{ id: send._id, index: 0, by: "mailer" }]);
  flow.begin(KEY, attemptOf(send, 1));
  await scheduler.schedule();
  const dispatched = [0, 2].map((index) => messageIdOf(send._id, index));
  assert.deepEqual(scheduler.take().map(({ messageId }) => messageId), dispatched);
});

test("a later attempt is left to the ledger, which knows when it is due", async () => {
  await using scheduler = await openReturned(50);
  const send = await scheduler.defer({ priority: "transactional" });
  scheduler.flow.keepReturned(KEY, { ...attemptOf(send), attempt: 1 }, BUSY);
  await scheduler.schedule();
  assert.deepEqual(await scheduler.listWaiting(), []);
  for (const attempt of scheduler.take()) scheduler.flow.end(attempt);
  await scheduler.due();
  assert.deepEqual(scheduler.take().map(({ attempt }) => attempt), [1]);
});

test("a message that was canceled does not let its send wait again", async () => {
  await using scheduler = await openReturned(50);
  const send = await scheduler.accept({ priority: "transactional" });
  await scheduler.store.messages.cancelSend("acc_1", send._id, NOW);
  scheduler.flow.keepReturned(KEY, attemptOf(send), BUSY);
  await scheduler.schedule();
  assert.deepEqual(await scheduler.listWaiting(), []);
  assert.equal(scheduler.flow.knows(attemptOf(send)), false);
});
