import { newSendId, type Send } from "@posthaste/contracts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { dispatchAccepted } from "./dispatch_accepted.ts";

const ACCEPTED_AT = new Date("2026-03-01T12:00:00Z");

function sendOf(changes: Partial<Send>): Send {
  return {
    ...{ _id: newSendId("acc_1"), accountId: "acc_1", acceptedAt: ACCEPTED_AT, integrationId: 1 },
    ...{ priority: "transactional", template: { id: 1, version: 1 }, pdfVersions: {} },
    request: { from: { email: "shop@example.com" }, to: [{ email: "ann@example.net" }] },
    ...{ messageCount: 1, settledAt: null, reconcileAt: ACCEPTED_AT },
    ...changes,
  };
}

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
  assert.deepEqual(await dispatch(sendOf({})), ["send.requested", "noted"]);
});

test("dispatchAccepted() queues a send that waits before it notifies the scheduler", async () => {
  assert.deepEqual(await dispatch(sendOf({ next: 0 })), ["queued", "status.send.accepted"]);
});
