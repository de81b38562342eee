import { until } from "@posthaste/kit";
import type { StatusEvent } from "@posthaste/messaging";
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { openSettlement, settleForever } from "./settle_sends.ts";

const ABOUT = {
  v: 2 as const,
  accountId: "acc_1",
  index: 0,
  attempt: 1,
  at: "2026-03-01T10:00:00Z",
};

const sent = (sendId: string): StatusEvent => ({
  type: "status.message.sent",
  data: { ...ABOUT, sendId, messageId: "msg", reply: { code: 250 } },
});

const FINISHED = { accountId: "acc_1", messageCount: 1, states: { sent: 1 }, attempts: 1 };

function openWorld(finished: string[]) {
  const world = {
    now: 0,
    finished,
    asked: [] as string[][],
    settled: [] as string[],
    events: [] as string[],
  };
  const settlement = openSettlement({
    batches: { noteEnds: () => Promise.resolve() },
    sends: {
      finished: (ids) => {
        world.asked.push(ids);
        return Promise.resolve(
          ids.filter((id) => world.finished.includes(id)).map((_id) => ({ _id, ...FINISHED })),
        );
      },
      settle: (sends) => Promise.resolve(world.settled.push(...sends.map(({ _id }) => _id))),
    },
    recordSettled: (sends, isRecorded) => {
      for (const send of sends) {
        world.events.push(`${send._id}${isRecorded(send) ? "" : " by its timelines"}`);
      }
      return Promise.resolve();
    },
    now: () => new Date(),
  }, { clock: { now: () => world.now } });
  return { world, settlement };
}

test("openSettlement() settles a send after a moment without news of it", async () => {
  const { world, settlement } = openWorld(["snd_1", "snd_2"]);
  settlement.note([sent("snd_1"), sent("snd_2"), sent("snd_3")]);
  world.now = 200;
  settlement.note([sent("snd_2")]);
  await settlement.settleQuiet();
  assert.deepEqual(world.asked, []);
  world.now = 250;
  await settlement.settleQuiet();
  assert.deepEqual(world.asked, [["snd_1", "snd_3"]]);
  assert.deepEqual(world.settled, ["snd_1"]);
  world.now = 450;
  await settlement.settleQuiet();
  assert.deepEqual(world.settled, ["snd_1", "snd_2"]);
  // An unfinished send will have more news.
  await settlement.settleQuiet();
  assert.equal(world.asked.length, 2);
});

test("openSettlement() retries when the ledger was unavailable", async () => {
  const { world, settlement } = openWorld(["snd_1"]);
  settlement.note([sent("snd_1")]);
  world.now = 300;
  const away = openSettlement({
    batches: { noteEnds: () => Promise.resolve() },
    sends: {
      finished: () => Promise.reject(new Error("away")),
      settle: () => Promise.resolve(0),
    },
    recordSettled: () => Promise.resolve(),
    now: () => new Date(),
  }, { clock: { now: () => world.now } });
  away.note([sent("snd_1")]);
  world.now = 600;
  await assert.rejects(away.settleQuiet(), /away/);
  await assert.rejects(away.settleQuiet(), /away/);
  await settlement.settleQuiet();
  assert.deepEqual(world.settled, ["snd_1"]);
});

test("openSettlement() detects that all messages of a send have their only outcome", async () => {
  const { world, settlement } = openWorld(["snd_1", "snd_2", "snd_3"]);
  const second: StatusEvent = {
    type: "status.message.sent",
    data: { ...ABOUT, sendId: "snd_2", messageId: "msg", attempt: 2, reply: { code: 250 } },
  };
  const before: StatusEvent = {
    type: "status.message.failed",
    data: { ...ABOUT, sendId: "snd_3", messageId: "msg", stage: "renderer", reason: "x" },
  };
  settlement.note([sent("snd_1"), second, before]);
  world.now = 300;
  await settlement.settleQuiet();
  const read = ["snd_2 by its timelines", "snd_3 by its timelines"];
  assert.deepEqual(world.events, ["snd_1", ...read]);
  assert.deepEqual(world.settled, ["snd_1", "snd_2", "snd_3"]);
});

test("settleForever() examines sends when messages end, and nothing while none does", async () => {
  const { world, settlement } = openWorld(["snd_1"]);
  let examinations = 0;
  const counted = {
    ...settlement,
    settleQuiet: () => {
      examinations++;
      return settlement.settleQuiet();
    },
  };
  const ending = new AbortController();
  const running = settleForever(counted, { logger: { warn: () => {} }, signal: ending.signal });
  await delay(600);
  assert.equal(examinations, 0);
  settlement.note([sent("snd_1")]);
  world.now = 250;
  await until(() => world.settled.length === 1, { message: "its settlement" });
  ending.abort();
  await running;
});
