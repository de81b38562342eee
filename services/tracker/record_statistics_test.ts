import type { StatusEvent } from "@posthaste/messaging";
import assert from "node:assert/strict";
import { test } from "node:test";
import { recordStatistics, sumUp } from "./record_statistics.ts";

const SEND = { v: 2 as const, sendId: "snd_1", accountId: "acc_1", at: "2026-03-01T12:01:00.000Z" };
const MESSAGE = { ...SEND, messageId: "msg_1", index: 0, attempt: 1 };
const sent = (changes: object = {}): StatusEvent => ({
  type: "status.message.sent",
  data: { ...MESSAGE, reply: { code: 250 }, ...changes },
});

test("sumUp() counts recipients of sends, and outcomes, by account and 5 minutes", () => {
  const statusEvents: StatusEvent[] = [
    { type: "status.send.accepted", data: { ...SEND, recipients: 40 } },
    // An older process did not report it.
    { type: "status.send.accepted", data: SEND },
    sent(),
    sent({ at: "2026-03-01T12:04:59.999Z" }),
    sent({ at: "2026-03-01T12:05:00.000Z" }),
    sent({ accountId: "acc_2", integrationId: 4 }),
    sent({ accountId: "acc_2", integrationId: 4 }),
    sent({ accountId: "acc_2", integrationId: 5 }),
    { type: "status.message.failed", data: { ...MESSAGE, stage: "pdf", reason: "x" } },
    { type: "status.message.deferred", data: { ...MESSAGE, reason: "x" } },
    { type: "status.message.unknown", data: { ...MESSAGE, reason: "x" } },
  ];
  const [at, later] = [new Date("2026-03-01T12:00:00Z"), new Date("2026-03-01T12:05:00Z")];
  const sends = ["snd_1"];
  assert.deepEqual(sumUp(statusEvents), [
    { accountId: "acc_1", at, accepted: 41, sent: 2, failed: 1, deferred: 1, unknown: 1, sends },
    { accountId: "acc_1", at: later, sent: 1, sends },
    { accountId: "acc_2", at, sent: 3, integrations: { 4: { sent: 2 }, 5: { sent: 1 } }, sends },
  ]);
});

test("recordStatistics() writes a batch in one call", async () => {
  const calls: unknown[] = [];
  const noteStatistics = (notes: unknown) => Promise.resolve(void calls.push(notes));
  const noteResults = noteStatistics;
  const statusEvents = [sent({ integrationId: 4 }), sent({ integrationId: 4 })];
  await recordStatistics(statusEvents, {
    statistics: {
      note: noteStatistics,
    },
    integrations: {
      noteResults,
    },
  });
  const at = new Date("2026-03-01T12:00:00Z");
  const lastSent = { at: new Date(MESSAGE.at), messageId: "msg_1" };
  assert.deepEqual(calls, [
    [{ accountId: "acc_1", at, sent: 2, integrations: { 4: { sent: 2 } }, sends: ["snd_1"] }],
    [{ accountId: "acc_1", id: 4, lastSent }],
  ]);
});
