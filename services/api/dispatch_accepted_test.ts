import type { Send } from "@posthaste/contracts";
import { testSend } from "@posthaste/kit";
import assert from "node:assert/strict";
import { test } from "node:test";
import { dispatchAccepted } from "./dispatch_accepted.ts";

/** Dispatches a send, and returns what happened in its order. */
async function dispatch(send: Send): Promise<string[]> {
  const happened: string[] = [];
  await dispatchAccepted(send, {
    bus: { publish: ({ type }) => Promise.resolve(void happened.push(type)) },
    acceptances: { note: () => void happened.push("noted") },
    store: { waiting: { queueSend: () => Promise.resolve(void happened.push("queued")) } },
  });
  return happened;
}

test("dispatchAccepted() passes a small send to the renderer", async () => {
  assert.deepEqual(await dispatch(testSend()), ["send.requested", "noted"]);
});

test("dispatchAccepted() queues a send that waits before it notifies the scheduler", async () => {
  assert.deepEqual(await dispatch(testSend({ next: 0 })), ["queued", "status.send.accepted"]);
});
