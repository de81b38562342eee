import type { StatusEvent } from "@posthaste/messaging";
import type { IntegrationCircuit } from "@posthaste/storage";
import assert from "node:assert/strict";
import { test } from "node:test";
import { circuitOf, NOW, openTestScheduler, STOPPED } from "./_test_scheduler.ts";
import { noteNews } from "./note_news.ts";

const LOW_RATE = { id: 5, maxPerMinute: 1 };
const PROBED = { id: 5, circuits: [circuitOf(5, NOW)] };
const REFUSED = { stage: "mailer", reason: "no", reply: { code: 550 } };

/** The integration that mail waits for, and the circuits of servers. */
interface Scheduling {
  id: number;
  circuits?: IntegrationCircuit[];
}

/** How an integration with a low rate gets its mail, and how its first mail ends. */
const LOW_RATES: [what: string, Scheduling, type: StatusEvent["type"], detail: object][] = [
  ["after a sent mail", { id: 5 }, "status.message.sent", { reply: { code: 250 } }],
  ["after a refused mail", { id: 5 }, "status.message.failed", REFUSED],
  ["as a fallback", { id: 4 }, "status.message.sent", { reply: { code: 250 } }],
  ["as a probe", PROBED, "status.message.deferred", { reason: "gone" }],
];

for (const [what, { id, circuits = [] }, type, detail] of LOW_RATES) {
  test(`mail of a low rate is dispatched five seconds before its time: ${what}`, async () => {
    const stopped = { id: 4, fallbacks: [5], ...STOPPED };
    await using scheduler = await openTestScheduler([stopped, LOW_RATE], { circuits });
    await scheduler.wait({ integrationId: id, messageCount: 9 });
    const dispatched = async () => {
      await scheduler.schedule();
      return scheduler.take();
    };
    const [first] = await dispatched();
    assert.ok(first);
    const data = { ...first, accountId: "acc_1", attempt: 1, at: NOW.toISOString(), ...detail };
    noteNews(scheduler.flow, [{ type, data } as unknown as StatusEvent]);
    assert.deepEqual(await dispatched(), []);
    scheduler.pass(54_999);
    assert.deepEqual(await dispatched(), []);
    scheduler.pass(1);
    assert.equal((await dispatched()).length, 1);
  });
}
