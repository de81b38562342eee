import { messageIdOf } from "@posthaste/contracts";
import { takeAttempt } from "@posthaste/kit";
import assert from "node:assert/strict";
import { test } from "node:test";
import { ago, circuitOf, HOUR, NOW, openTestScheduler, SHOP, STOPPED } from "./_test_scheduler.ts";

const NEWS = "news@example.com";

/**
 * Lets bulk mail of some integrations, and single messages of another one, go through integration 5, one a second.
 * Returns the most rounds that a single message waited.
 */
async function mostRounds({ bulk, single }: { bulk: number; single: number }): Promise<number> {
  await using scheduler = await openTestScheduler([
    ...[4, 11, 12].map((id) => ({ id, fallbacks: [5], ...STOPPED })),
    { id: 5, maxPerMinute: 60 },
  ]);
  await scheduler.wait({ integrationId: bulk, messageCount: 5000 });
  let most = 0;
  for (let trial = 0; trial < 6; trial++) {
    const { _id } = await scheduler.wait({ integrationId: single, priority: "transactional" });
    for (let round = 1; round < 20; round++) {
      await scheduler.schedule();
      const taken = scheduler.take();
      for (const attempt of taken) scheduler.flow.end(attempt);
      scheduler.pass(1000);
      most = Math.max(most, round);
      if (taken.some(({ sendId }) => sendId === _id)) break;
    }
  }
  return most;
}

test("single messages do not wait behind the newsletter of another integration at their fallback", async () => {
  assert.equal(await mostRounds({ bulk: 11, single: 12 }), 1);
});

test("single messages of a stopped integration do not wait behind the newsletter of their fallback", async () => {
  assert.equal(await mostRounds({ bulk: 5, single: 4 }), 1);
});

test("a fallback sends mail as its senders in upper and lower case, and no other hides it", async () => {
  await using scheduler = await openTestScheduler([
    { id: 4, fallbacks: [5], ...STOPPED },
    { id: 5, senders: ["Shop@Example.com"] },
  ]);
  for (let n = 0; n < 60; n++) await scheduler.wait({ from: { email: NEWS } });
  await scheduler.defer({ from: { email: NEWS }, messageCount: 300, nextAt: ago(HOUR) });
  const waiting = await scheduler.wait({ from: { email: "SHOP@example.com" } });
  const due = await scheduler.defer({ from: { email: "shop@EXAMPLE.com" } });
  await scheduler.schedule();
  await scheduler.due();
  const taken = scheduler.take().map(({ sendId, by }) => [sendId, by]);
  assert.deepEqual(taken, [[waiting._id, 5], [due._id, 5]]);
});

test("attempts that hang at the stopped server take no place of the fallback", async () => {
  await using scheduler = await openTestScheduler([{ id: 4, fallbacks: [5] }, { id: 5 }], {
    // Its host is gone. What it was sent last waits for its reply.
    circuits: [circuitOf(4, new Date(NOW.getTime() + HOUR))],
    firstWidth: 2,
  });
  const hanging = await scheduler.defer({ messageCount: 2, nextAt: ago(100_000) });
  for (const index of [0, 1]) {
    const taken = { messageId: messageIdOf(hanging._id, index), attempt: 2 };
    assert.ok(await takeAttempt(scheduler.store, taken));
  }
  const due = await scheduler.defer({ nextAt: ago(1000) });
  const waiting = await scheduler.wait();
  for (let second = 0; second < 120; second += 10) {
    await scheduler.due();
    await scheduler.schedule();
    scheduler.pass(10_000);
  }
  const sent = new Set(scheduler.take().map(({ sendId }) => sendId));
  assert.deepEqual(sent, new Set([due._id, waiting._id]));
});

test("waiting sends go to the fallback immediately when a server goes away, although what it was sent fills its window", async () => {
  await using scheduler = await openTestScheduler([{ id: 4, fallbacks: [5] }, { id: 5 }], {
    circuits: [circuitOf(4, new Date(NOW.getTime() + HOUR))],
    firstWidth: 2,
  });
  for (const n of [0, 1]) scheduler.flow.begin("acc_1/4", { messageId: `msg_${n}`, attempt: 0 });
  const { _id } = await scheduler.wait();
  await scheduler.schedule();
  assert.deepEqual(scheduler.take().map(({ sendId, by }) => [sendId, by]), [[_id, 5]]);
});

test("an attempt that hangs at the stopped server is not the probe of a fallback", async () => {
  await using scheduler = await openTestScheduler([{ id: 4, fallbacks: [5] }, { id: 5 }], {
    circuits: [circuitOf(4, new Date(NOW.getTime() + HOUR)), circuitOf(5, NOW)],
  });
  const hanging = await scheduler.defer({ nextAt: ago(100_000) });
  const taken = { messageId: messageIdOf(hanging._id, 0), attempt: 2 };
  assert.ok(await takeAttempt(scheduler.store, taken));
  const { _id } = await scheduler.defer({ nextAt: ago(1000) });
  for (let second = 0; second < 120; second += 10) {
    await scheduler.due();
    scheduler.pass(10_000);
  }
  assert.equal(scheduler.take()[0]?.sendId, _id);
});

test("a large fallback takes as many retries as its window has room for", async () => {
  await using scheduler = await openTestScheduler([
    { id: 4, fallbacks: [5], ...STOPPED },
    { id: 5 },
  ]);
  const { flow } = scheduler;
  await scheduler.defer({ messageCount: 1000 });
  // It takes 600 mails a second.
  for (let n = 0; n < 1200; n++) {
    const attempt = { messageId: `msg_${n}`, attempt: 0 };
    flow.begin("acc_1/5", attempt);
    flow.end(attempt);
    if (n % 6 === 0) scheduler.pass(10);
  }
  const window = flow.windowOf("acc_1/5");
  assert.ok(window > 800, `window of ${window}`);
  await scheduler.due();
  assert.equal(scheduler.take().length, window);
});

test("messages of which nobody noted the sender go to the fallback too, and hide no others", async () => {
  await using scheduler = await openTestScheduler([
    { id: 4, fallbacks: [5], senders: [SHOP, NEWS], ...STOPPED },
    { id: 5, senders: [NEWS] },
  ]);
  await scheduler.defer({ messageCount: 500, nextAt: ago(HOUR), isSenderUnknown: true });
  const news = await scheduler.defer({ from: { email: NEWS } });
  await scheduler.due();
  assert.deepEqual(scheduler.take().map(({ sendId }) => sendId), [news._id]);
  const unknown = await scheduler.defer({
    ...{ from: { email: NEWS }, nextAt: ago(2 * HOUR), isSenderUnknown: true },
  });
  await scheduler.due();
  assert.deepEqual(scheduler.take().map(({ sendId }) => sendId), [unknown._id]);
});

test("returned attempts that were canceled take no place of a fallback", async () => {
  await using scheduler = await openTestScheduler([
    { id: 4, fallbacks: [5], ...STOPPED },
    { id: 5 },
  ]);
  const send = await scheduler.accept({ messageCount: 40 });
  for (let index = 0; index < 40; index++) {
    const messageId = messageIdOf(send._id, index);
    const attempt = { messageId, attempt: 0, sendId: send._id, index, acceptedAt: NOW };
    scheduler.flow.keepReturned("acc_1/4", attempt, { isServerBusy: false });
    if (index < 30) await scheduler.store.messages.cancel("acc_1", messageId, NOW);
  }
  await scheduler.schedule();
  assert.equal(scheduler.take().length, 10);
});

test("a returned attempt does not wait for a fallback behind those for another one", async () => {
  await using scheduler = await openTestScheduler([
    { id: 4, fallbacks: [5, 6], senders: [SHOP, NEWS], ...STOPPED },
    { id: 5 },
    { id: 6, senders: [NEWS] },
  ]);
  const sends = [
    await scheduler.accept({ messageCount: 300 }),
    await scheduler.accept({ from: { email: NEWS } }),
  ];
  for (const { _id: sendId, messageCount } of sends) {
    for (let index = 0; index < messageCount; index++) {
      const attempt = { messageId: messageIdOf(sendId, index), attempt: 0, sendId, index };
      scheduler.flow.keepReturned("acc_1/4", { ...attempt, acceptedAt: NOW }, {
        isServerBusy: false,
      });
    }
  }
  await scheduler.schedule();
  assert.ok(scheduler.take().some(({ sendId, by }) => sendId === sends[1]?._id && by === 6));
});

/** Opens a scheduler with an integration 9 that cannot be read: a newer version wrote it. */
async function openBroken() {
  const scheduler = await openTestScheduler([{ id: 4 }, { id: 6, ...STOPPED }]);
  const { integrations } = scheduler.deps;
  const { find } = integrations;
  integrations.find = (accountId, id) =>
    id === 9 ? Promise.reject(new Error("Invalid input")) : find(accountId, id);
  return scheduler;
}

test("an integration that cannot be read does not stop the mail of others", async () => {
  await using scheduler = await openBroken();
  for (const work of [scheduler.defer, scheduler.wait]) await work({ integrationId: 9 });
  const [due, waiting] = [await scheduler.defer(), await scheduler.wait()];
  const old = await scheduler.wait({ integrationId: 6, acceptedAt: ago(49 * HOUR) });
  await assert.rejects(scheduler.due(), /Invalid input/);
  await assert.rejects(scheduler.schedule(), /Invalid input/);
  assert.deepEqual(scheduler.take().map(({ sendId }) => sendId), [due._id, waiting._id]);
  await assert.rejects(scheduler.failOverdue(), /Invalid input/);
  assert.deepEqual(scheduler.takeFailed(), [old._id]);
});

test("the search for due messages reads nothing of an integration that takes none", async () => {
  const paused = { suspended: { at: NOW, reason: "holidays", kind: "person" as const } };
  for (const own of [{ id: 4, ...STOPPED }, { id: 4, fallbacks: [5], ...paused }]) {
    await using scheduler = await openTestScheduler([own, { id: 5 }]);
    await scheduler.defer({ messageCount: 3, nextAt: ago(HOUR) });
    scheduler.deps.waiting.dueMessages = () => Promise.reject(new Error("It was read"));
    await scheduler.due();
    assert.deepEqual(scheduler.take(), []);
  }
});
