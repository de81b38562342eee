import type { StatusEvent } from "@posthaste/messaging";
import assert from "node:assert/strict";
import { test } from "node:test";
import { resultsOf } from "./note_results.ts";

const at = (minute: number) => new Date(Date.UTC(2026, 2, 1, 12, minute));
const message = (minute: number, integrationId: number | undefined = 4) => ({
  ...{ v: 1 as const, sendId: "snd_1", accountId: "acc_1", index: 0, attempt: 1, integrationId },
  ...{ messageId: `msg_${minute}`, at: at(minute).toISOString() },
});
const sent = (minute: number, integrationId?: number): StatusEvent => ({
  type: "status.message.sent",
  data: { ...message(minute, integrationId), reply: { code: 250 } },
});
const reply = { code: 451, enhanced: "4.7.1", response: "451 4.7.1 <ann@example.org> later" };
const deferred = (minute: number, integrationId?: number): StatusEvent => ({
  type: "status.message.deferred",
  data: { ...message(minute, integrationId), reason: "not now", reply },
});

test("resultsOf() finds the last success and the failures after it, by integration", () => {
  const notes = resultsOf([deferred(3), sent(2), deferred(1), deferred(4), sent(1), sent(5, 7)]);
  assert.deepEqual(notes, [
    {
      ...{ accountId: "acc_1", id: 4, lastSent: { at: at(2), messageId: "msg_2" } },
      lastFailed: { at: at(4), messageId: "msg_4", reason: "not now (451 4.7.1)" },
      failedFrom: at(3),
    },
    { accountId: "acc_1", id: 7, lastSent: { at: at(5), messageId: "msg_5" } },
  ]);
});

test("resultsOf() leaves out events that no server took part in", () => {
  const data = { ...message(1), reason: "a broken template" };
  const { integrationId: _, ...older } = message(1);
  assert.deepEqual(
    resultsOf([
      { type: "status.message.failed", data: { ...data, stage: "renderer" } },
      { type: "status.message.waiting", data: { ...data, nextAt: data.at } },
      { type: "status.message.sent", data: { ...older, reply: { code: 250 } } },
    ]),
    [],
  );
});
