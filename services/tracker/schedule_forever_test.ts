import assert from "node:assert/strict";
import { test } from "node:test";
import { circuitOf, NOW, openTestScheduler } from "./_test_scheduler.ts";
import { scheduleForever } from "./schedule_forever.ts";

type Scheduler = Awaited<ReturnType<typeof openTestScheduler>>;

/** Runs a scheduler until the end of the round in which it dispatches. Returns what it warned of. */
async function run({ deps, flow }: Scheduler): Promise<string[]> {
  const warnings: string[] = [];
  const logger = { warn: (text: string) => void warnings.push(text) };
  const ending = new AbortController();
  function nextNews(): Promise<void> {
    if (flow.inFlight("acc_1/4") > 0) ending.abort();
    return Promise.resolve();
  }
  const { signal } = ending;
  await scheduleForever({ ...deps, logger }, {
    flow: { ...flow, nextNews },
    intervalMs: 1,
    signal,
  });
  return warnings;
}

test("scheduleForever() keeps the window with retries and waiting sends together", async () => {
  await using scheduler = await openTestScheduler([{ id: 4 }]);
  await scheduler.defer({ messageCount: 6 });
  await scheduler.wait({ messageCount: 50 });
  await run(scheduler);
  assert.equal(scheduler.flow.inFlight("acc_1/4"), 10);
});

test("scheduleForever() dispatches waiting sends while due messages cannot be searched for", async () => {
  await using scheduler = await openTestScheduler([{ id: 4 }]);
  await scheduler.wait();
  scheduler.deps.waiting.integrationsDue = () => Promise.reject(new Error("no answer"));
  assert.deepEqual(await run(scheduler), ["Cannot find what is due, retrying"]);
  assert.equal(scheduler.flow.inFlight("acc_1/4"), 1);
});

test("scheduleForever() sends one message as a probe, a retry or a first attempt", async () => {
  const circuits = [circuitOf(4, NOW)];
  await using scheduler = await openTestScheduler([{ id: 4 }], { circuits });
  await scheduler.defer({ messageCount: 6 });
  await scheduler.wait({ messageCount: 50 });
  await run(scheduler);
  assert.equal(scheduler.take().length, 1);
});

/**
 * Runs three rounds of a scheduler, in each of which an attempt ends. Returns the limits of its pauses, and how often it
 * searched for due messages.
 */
async function roundsOf({ deps, flow }: Scheduler, intervalMs: number) {
  const ending = new AbortController();
  const { integrationsDue } = deps.waiting;
  const waits: number[] = [];
  let searches = 0;
  deps.waiting.integrationsDue = (now) => {
    searches++;
    return integrationsDue(now);
  };
  function nextNews(withinMs: number): Promise<void> {
    waits.push(withinMs);
    if (waits.length === 3) ending.abort();
    return Promise.resolve();
  }
  const { signal } = ending;
  await scheduleForever(deps, { flow: { ...flow, nextNews }, intervalMs, signal });
  return { waits, searches };
}

test("scheduleForever() pauses for one interval while messages are due, and longer if nothing waits", async () => {
  await using scheduler = await openTestScheduler([{ id: 4 }]);
  // Such pauses end with others of the process.
  const { waits } = await roundsOf(scheduler, 60_000);
  assert.deepEqual(waits.map((ms) => Math.round(ms / 1000)), [180, 180, 180]);
  await scheduler.defer({ messageCount: 6 });
  // Also in rounds without a search.
  assert.deepEqual(await roundsOf(scheduler, 60_000), {
    waits: [60_000, 60_000, 60_000],
    searches: 1,
  });
});

test("scheduleForever() searches for due messages more often while there are some: waiting sends take each place", async () => {
  await using scheduler = await openTestScheduler([{ id: 4 }]);
  await scheduler.defer({ messageCount: 6 });
  assert.equal((await roundsOf(scheduler, 400)).searches, 3);
});

test("scheduleForever() is not slower while one integration cannot be read", async () => {
  await using scheduler = await openTestScheduler([{ id: 4 }]);
  await scheduler.defer();
  scheduler.deps.integrations.find = () => Promise.reject(new Error("Invalid input"));
  const { waits, searches } = await roundsOf(scheduler, 400);
  assert.deepEqual([waits, searches], [[400, 400, 400], 3]);
});

test("scheduleForever() begins no further step after its signal has aborted: the next leader waits for it", async () => {
  await using scheduler = await openTestScheduler([{ id: 4 }]);
  const { deps, flow } = scheduler;
  await scheduler.wait();
  await scheduler.defer();
  const ending = new AbortController();
  deps.waiting.startSends = () => {
    ending.abort();
    return Promise.resolve(0);
  };
  await scheduleForever(deps, { flow, intervalMs: 1, signal: ending.signal });
  assert.deepEqual(scheduler.take(), []);
});
