import { until } from "@posthaste/kit";
import assert from "node:assert/strict";
import { test } from "node:test";
import { circuitOf, NOW, openTestScheduler } from "./_test_scheduler.ts";
import { scheduleForever } from "./schedule_forever.ts";

type Scheduler = Awaited<ReturnType<typeof openTestScheduler>>;

/** Runs a scheduler until the end of a round after it dispatched. Returns what it warned of. */
async function run({ deps, flow }: Scheduler): Promise<string[]> {
  const warnings: string[] = [];
  const logger = { warn: (text: string) => void warnings.push(text) };
  const ending = new AbortController();
  const { signal } = ending;
  const running = scheduleForever({ ...deps, logger }, { flow, intervalMs: 1, signal });
  await until(() => flow.inFlight("acc_1/4") > 0, { message: "a dispatch" });
  ending.abort();
  await running;
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
  const warnings = await run(scheduler);
  assert.equal(scheduler.flow.inFlight("acc_1/4"), 1);
  assert.deepEqual([...new Set(warnings)], ["Cannot dispatch what is due, retrying"]);
});

test("scheduleForever() sends one message as a probe, a retry or a first attempt", async () => {
  const circuits = [circuitOf(4, NOW)];
  await using scheduler = await openTestScheduler([{ id: 4 }], { circuits });
  await scheduler.defer({ messageCount: 6 });
  await scheduler.wait({ messageCount: 50 });
  await run(scheduler);
  assert.equal(scheduler.take().length, 1);
});

test("scheduleForever() searches for due messages after one interval while there are some, whatever ends meanwhile", async () => {
  await using scheduler = await openTestScheduler([{ id: 4 }]);
  await scheduler.defer({ messageCount: 6 });
  const { deps, flow } = scheduler;
  const ending = new AbortController();
  const waits: number[] = [];
  function nextNews(withinMs: number): Promise<void> {
    waits.push(withinMs);
    // An attempt has ended: the next round follows, and searches for none.
    if (waits.length === 3) ending.abort();
    return Promise.resolve();
  }
  await scheduleForever(deps, {
    flow: { ...flow, nextNews },
    ...{ intervalMs: 60_000, signal: ending.signal },
  });
  assert.deepEqual(waits, [60_000, 60_000, 60_000]);
});
