import type { StatusEvent } from "@posthaste/messaging";
import type { IntegrationCircuit } from "@posthaste/storage";
import assert from "node:assert/strict";
import { test } from "node:test";
import { circuitOf, NOW, openTestScheduler, STOPPED } from "./_test_scheduler.ts";
import { noteNews } from "./note_news.ts";

const LOW_RATE = { id: 5, maxPerMinute: 1 };
const PROBED = { id: 5, circuits: [circuitOf(5, NOW)] };
const REFUSED = { stage: "mailer", reason: "no", reply: { code: 550 } };

type Scheduler = Awaited<ReturnType<typeof openTestScheduler>>;
type Dispatched = ReturnType<Scheduler["take"]>[number];

/** The integration that mail waits for, and the circuits of servers. */
interface Scheduling {
  id: number;
  circuits?: IntegrationCircuit[];
}

/** Reports what became of an attempt. */
function report(
  { flow }: Scheduler,
  one: Dispatched,
  type: StatusEvent["type"],
  detail: object,
): void {
  // An outcome has the number of its attempt, and a return that of the attempts before it.
  const attempt = one.attempt + (type === "status.message.returned" ? 0 : 1);
  const at = NOW.toISOString();
  const data = {
    ...one,
    accountId: "acc_1",
    integrationId: 5,
    index: 0,
    at,
    acceptedAt: at,
    ...detail,
  };
  noteNews(flow, [{ type, data: { ...data, attempt } } as unknown as StatusEvent]);
}

/** Runs a round of the scheduler, and returns what it dispatched. */
async function dispatched(scheduler: Scheduler): Promise<Dispatched[]> {
  await scheduler.schedule();
  return scheduler.take();
}

/** How an integration with a low rate gets its mail, and what becomes of the first one. */
const LOW_RATES: [what: string, Scheduling, type: StatusEvent["type"], detail: object][] = [
  ["after a sent mail", { id: 5 }, "status.message.sent", { reply: { code: 250 } }],
  ["after a refused mail", { id: 5 }, "status.message.failed", REFUSED],
  ["as a fallback", { id: 4 }, "status.message.sent", { reply: { code: 250 } }],
  ["as a probe", PROBED, "status.message.deferred", { reason: "gone" }],
  ["after one that came back", { id: 5 }, "status.message.returned", {}],
  ["after a probe that came back", PROBED, "status.message.returned", {}],
];

for (const [what, { id, circuits = [] }, type, detail] of LOW_RATES) {
  test(`mail of a low rate is dispatched once a minute: ${what}`, async () => {
    const stopped = { id: 4, fallbacks: [5], ...STOPPED };
    await using scheduler = await openTestScheduler([stopped, LOW_RATE], { circuits });
    await scheduler.wait({ integrationId: id, messageCount: 9 });
    const [first] = await dispatched(scheduler);
    assert.ok(first);
    report(scheduler, first, type, detail);
    assert.deepEqual(await dispatched(scheduler), []);
    // After a quiet time, two seconds' worth are left.
    scheduler.pass(57_900);
    assert.deepEqual(await dispatched(scheduler), []);
    scheduler.pass(200);
    assert.equal((await dispatched(scheduler)).length, 1);
  });
}

for (
  const [maxPerMinute, serverMs] of [[30, 100], [30, 9000], [60, 9000], [12, 9000], [
    5,
    20_000,
  ]] as const
) {
  test(`${maxPerMinute} mails a minute are dispatched to a server that answers after ${serverMs} ms`, async () => {
    await using scheduler = await openTestScheduler([{ id: 5, maxPerMinute }]);
    await scheduler.wait({ integrationId: 5, messageCount: 500 });
    let atServer: { one: Dispatched; ends: number }[] = [];
    let count = 0;
    for (let now = 0; now < 120_000; now += 500) {
      const { over = [], open = [] } = Object.groupBy(
        atServer,
        ({ ends }) => ends <= now ? "over" : "open",
      );
      for (const { one } of over) {
        report(scheduler, one, "status.message.sent", { reply: { code: 250 } });
      }
      const begun = await dispatched(scheduler);
      atServer = [...open, ...begun.map((one) => ({ one, ends: now + serverMs }))];
      count += begun.length;
      scheduler.pass(500);
    }
    const atMost = 2 * maxPerMinute + 1 + maxPerMinute / 30;
    assert.ok(count >= 2 * maxPerMinute && count <= atMost, `${count} in two minutes`);
  });
}

test("a mail without news does not stop an integration with a rate", async () => {
  await using scheduler = await openTestScheduler([{ id: 5, maxPerMinute: 30 }]);
  await scheduler.wait({ integrationId: 5, messageCount: 500 });
  await dispatched(scheduler);
  scheduler.pass(2000);
  assert.equal((await dispatched(scheduler)).length, 1);
});

test("a probe that came back waits as long as its window is closed", async () => {
  await using scheduler = await openTestScheduler([{ id: 5 }], { circuits: [circuitOf(5, NOW)] });
  await scheduler.wait({ integrationId: 5, messageCount: 9 });
  const [probe] = await dispatched(scheduler);
  assert.ok(probe);
  report(scheduler, probe, "status.message.returned", {});
  assert.deepEqual(await dispatched(scheduler), []);
  scheduler.pass(2000);
  assert.equal((await dispatched(scheduler)).length, 1);
});

test("attempts that are redispatched many times do not use up later turns", async () => {
  await using scheduler = await openTestScheduler([{ id: 5, maxPerMinute: 5 }]);
  await scheduler.wait({ integrationId: 5, messageCount: 9 });
  await dispatched(scheduler);
  // The reconciler dispatches what has no news, whatever the rate.
  for (let n = 0; n < 100; n++) scheduler.flow.begin("acc_1/5", { messageId: "lost", attempt: 0 });
  scheduler.pass(12_100);
  assert.equal((await dispatched(scheduler)).length, 1);
});
