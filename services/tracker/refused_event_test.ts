import { newSendId } from "@posthaste/contracts";
import { type Bus, openBus, type Outgoing } from "@posthaste/messaging";
import type { SendHead, UnfinishedMessage } from "@posthaste/storage";
import { openLogger } from "@posthaste/telemetry";
import { openMemoryLedger, openTestNats, until } from "@posthaste/kit";
import assert from "node:assert/strict";
import { test } from "node:test";
import { type ReconcileDeps, reconcileOnce } from "./reconcile.ts";

const GRACE_MS = 30_000;
const acceptedAt = new Date(Date.now() - 2 * GRACE_MS);
const priority = "transactional";
const send = { _id: newSendId("acc_1"), accountId: "acc_1", priority, acceptedAt } as SendHead;

const QUEUED: UnfinishedMessage = {
  ...{ index: 0, outcome: undefined, register: undefined, nextAt: null, waitsFor: null },
  enteredAt: acceptedAt,
};

function openReconciler(bus: Bus): ReconcileDeps {
  return {
    ...openMemoryLedger(),
    batches: {
      noteEnds: () => Promise.resolve(),
    },
    sends: {
      identify: () => Promise.resolve(new Map()),
      listToReconcile: () => Promise.resolve([send]),
      nextReconciliation: () => Promise.resolve(undefined),
      finished: () => Promise.resolve([]),
      settle: () => Promise.resolve(0),
      claimReconciliation: () => Promise.resolve([send]),
      planReconciliation: () => Promise.resolve(),
    },
    integrations: {
      find: () => Promise.resolve(null),
    },
    messages: {
      unfinishedOf: () => Promise.resolve(new Map([[send._id, [QUEUED]]])),
    },
    recordTimelines: () => Promise.resolve(),
    recordSettled: () => Promise.resolve(),
    waiting: {
      queueSend: () => Promise.resolve(),
    },
    publish: (outgoing) => bus.publish(outgoing),
    now: () => new Date(),
    logger: { info: () => {}, warn: () => {} },
  };
}

test("reconcileOnce() redispatches a message whose event no service could read", async () => {
  await using nats = await openTestNats();
  await using bus = await openBus({ url: nats.url, name: "test" });
  await bus.applyTopology();
  // It does not name its message.
  await bus.publish({ type: "send.requested", data: { priority } } as unknown as Outgoing);
  const reconciler = openReconciler(bus);

  const stop = new AbortController();
  const lines: string[] = [];
  const taken: unknown[] = [];
  const consuming = bus.consume({
    name: "test.render",
    handle: ({ data }) => {
      taken.push(data);
      return Promise.resolve({ type: "done", publish: [] });
    },
    giveUp: () => ({ publish: [] }),
  }, {
    consumer: "renderer_transactional",
    concurrency: 1,
    signal: stop.signal,
    logger: openLogger({ service: "test", level: "warn", write: (line) => void lines.push(line) }),
  });
  await until(async () => (await bus.streamStates()).get("RENDER")?.messages === 0);
  assert.match(lines.join(), /Cannot read an event, giving up/);
  assert.deepEqual(taken, []);

  await reconcileOnce(reconciler, {
    graceMs: GRACE_MS,
    flow: { knows: () => false, begin: () => {}, release: () => {} },
  });
  await until(() => taken.length === 1);
  stop.abort();
  await consuming;
  assert.deepEqual(taken, [
    {
      ...{ v: 2, sendId: send._id, accountId: "acc_1", priority, redelivered: true },
      again: [{ index: 0, attempt: 0 }],
    },
  ]);
});
