import assert from "node:assert/strict";
import { test } from "node:test";
import { EVENTS, messageIdOf, newSendId } from "@posthaste/contracts";
import { jsonBytes } from "./split_by_size.ts";
import {
  failuresOf,
  type MessageStatusEvent,
  reportsOf,
  statusEventsIn,
  statusFieldsOf,
} from "./report_status_events.ts";

const sendId = newSendId("acc_1");

function failed(index: number, reason = "No such mailbox"): MessageStatusEvent {
  const messageId = messageIdOf(sendId, index);
  const at = "2026-03-01T10:00:00.000Z";
  const stage = "pdf" as const;
  const data = { messageId, sendId, accountId: "acc_1", index, attempt: 0, at, stage, reason };
  return { type: "status.message.failed", data };
}

function unknown(index: number): MessageStatusEvent {
  const { stage: _stage, ...data } = failed(index).data as MessageStatusEvent["data"] & {
    stage: string;
  };
  return { type: "status.message.unknown", data: data as never };
}

test("statusFieldsOf() takes only what identifies a message from its send and from itself", () => {
  const send = { sendId, accountId: "acc_1", priority: "bulk", integrationId: 4 };
  const message = { index: 3, attempt: 2, email: "ann@example.com" };
  assert.deepEqual(statusFieldsOf(send, message, new Date("2026-03-01T10:00:00Z")), {
    messageId: messageIdOf(sendId, 3),
    ...{ sendId, accountId: "acc_1", index: 3, attempt: 2, at: "2026-03-01T10:00:00.000Z" },
  });
});

test("failuresOf() reports each message as failed in the stage, for the reason", () => {
  const messages = [{ index: 0, attempt: 0 }, { index: 7, attempt: 0 }];
  const at = new Date("2026-03-01T10:00:00Z");
  const failure = { stage: "pdf", reason: "No such mailbox", at } as const;
  assert.deepEqual(failuresOf({ sendId, accountId: "acc_1" }, messages, failure), [
    failed(0),
    failed(7),
  ]);
});

test("reportsOf() makes one event for each kind, which statusEventsIn() takes apart again", () => {
  const statusEvents = [failed(0), unknown(1), failed(2)];
  const reports = reportsOf(statusEvents);
  assert.deepEqual(reports.map(({ type }) => type), [
    "status.message.failed",
    "status.message.unknown",
  ]);
  for (const { type, data } of reports) assert.deepEqual(EVENTS[type].parse(data), data);
  assert.deepEqual(reports.flatMap(statusEventsIn), [failed(0), failed(2), unknown(1)]);
});

test("reportsOf() makes several events of what is too large for one", () => {
  const reports = reportsOf(
    Array.from({ length: 900 }, (_, index) => failed(index, "x".repeat(900))),
  );
  assert.equal(reports.flatMap(statusEventsIn).length, 900);
  for (const { type, data } of reports) {
    assert.ok(jsonBytes(data) <= 512 * 1024);
    assert.ok(EVENTS[type].safeParse(data).success);
  }
  assert.ok(reports.length > 1 && reports.length < 5);
});
