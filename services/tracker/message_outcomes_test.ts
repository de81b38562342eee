import type { Message, MessageEventData, TimelineEntry } from "@posthaste/contracts";
import type { StatusEvent } from "@posthaste/messaging";
import { type EventSubject, SENT_AGAIN } from "@posthaste/storage";
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventOf, outcomesIn, outcomesOf } from "./message_outcomes.ts";

const AT = new Date("2026-03-01T12:00:00Z");
const MESSAGE = { messageId: "msg_1", sendId: "snd_1", accountId: "acc_1", index: 0 };
const SUBJECT: EventSubject = {
  ...{ accountId: "acc_1", integrationId: 4, messageCount: 1 },
  template: { id: 1, alias: "welcome", version: 3 },
  labelsOf: () => ({ reference: "order-42", tags: ["a"], metadata: { customer: "4711" } }),
};

function messageOf(lines: Partial<TimelineEntry>[], changes: Partial<Message> = {}): Message {
  return {
    ...{ _id: "msg_1", sendId: "snd_1", accountId: "acc_1", index: 0, email: "a@example.com" },
    ...{ state: "deferred", attempt: 1, sentBy: null, unknownAttempts: [], nextAt: null },
    ...{ waitsFor: null, acceptedAt: AT, finishedAt: null, reason: null, reply: null },
    mimeHash: null,
    timeline: lines.map((line) => ({ at: AT, type: "sending", attempt: 1, ...line })),
    ...changes,
  };
}

const named = (message: Message) =>
  outcomesOf(message).map(({ type, attempt }) => `${type} ${attempt}`);

test("outcomesIn() returns the certain outcomes of status events", () => {
  const data = { ...MESSAGE, attempt: 1, at: AT.toISOString() };
  const statusEvents: StatusEvent[] = [
    { type: "status.message.sent", data: { ...data, reply: { code: 250 } } },
    { type: "status.message.deferred", data: { ...data, reason: "busy" } },
    { type: "status.message.failed", data: { ...data, stage: "mailer", reason: "no" } },
    { type: "status.message.failed", data: { ...data, stage: "pdf", reason: "no" } },
    { type: "status.message.waiting", data: { ...data, reason: "no", nextAt: data.at } },
  ];
  const types = outcomesIn(statusEvents).map(({ type }) => type);
  assert.deepEqual(types, ["message.sent", "message.deferred", "message.failed"]);
});

test("outcomesOf() reads every outcome of a timeline, with its attempt", () => {
  const message = messageOf([
    { type: "queued", attempt: 0 },
    { type: "deferred", attempt: 0, detail: "postponed: nothing was tried" },
    { type: "sending", attempt: 1 },
    { type: "deferred", attempt: 1, detail: "busy" },
    { type: "deferred", attempt: 1, detail: "postponed again" },
    { type: "failed", attempt: 1, detail: "broke while it was rendered" },
  ]);
  // The mailer had begun attempt 1, and not attempt 2.
  message.timeline.push({ at: AT, type: "deferred", attempt: 2, detail: SENT_AGAIN });
  message.timeline.push({ at: AT, type: "sending", attempt: 3 });
  message.timeline.push({ at: AT, type: "unknown", attempt: 3 });
  message.timeline.push({ at: AT, type: "canceled", attempt: 3 });
  assert.deepEqual(named(message), [
    "message.deferred 1",
    "message.deferred 1",
    "message.failed 1",
    "message.retried 2",
    "message.unknown 3",
    "message.canceled 4",
  ]);
  assert.deepEqual(named(messageOf([{ type: "failed", attempt: 0 }])), ["message.failed 1"]);
  // The refusal came after the time of the reply.
  const late = messageOf([
    { type: "sending", attempt: 1 },
    { type: "unknown", attempt: 1 },
    { type: "failed", attempt: 1 },
    { type: "deferred", attempt: 1, detail: SENT_AGAIN },
    { type: "sending", attempt: 2 },
    { type: "failed", attempt: 2 },
  ]);
  assert.deepEqual(named(late), [
    ...["message.unknown 1", "message.failed 1", "message.retried 1", "message.failed 2"],
  ]);
  // A person retried it, and it was never sent again.
  const retried = messageOf([
    { type: "sending", attempt: 1 },
    { type: "failed", attempt: 1 },
    { type: "deferred", attempt: 1, detail: SENT_AGAIN },
    { type: "failed", attempt: 1, detail: "retries ended" },
  ]);
  assert.deepEqual(named(retried), ["message.failed 1", "message.retried 1", "message.failed 2"]);
});

test("a sent message has its warnings, from its status event and from its timeline", () => {
  const warning = "missing_glyphs";
  const data = { ...MESSAGE, attempt: 1, at: AT.toISOString(), reply: { code: 250 } };
  const reported = outcomesIn([
    { type: "status.message.sent", data: { ...data, warnings: [warning] } },
  ]);
  const lines: Partial<TimelineEntry>[] = [
    { type: "printed", attempt: 0, warning },
    {},
    { type: "deferred" },
    { type: "printed", attempt: 1, warning },
    { attempt: 2 },
    { type: "sent", attempt: 2 },
  ];
  const read = outcomesOf(messageOf(lines, { state: "sent" }));
  for (const outcomes of [reported, read]) {
    const sent = outcomes.find(({ type }) => type === "message.sent");
    assert.ok(sent);
    assert.deepEqual((eventOf(sent, SUBJECT).data as MessageEventData).warnings, [warning]);
  }
  const [deferred] = read;
  assert.equal(deferred?.warnings, undefined);
});

test("outcomesOf() takes the reply and the next time of the last outcome from the message", () => {
  const lines: Partial<TimelineEntry>[] = [{}, { type: "deferred", detail: "busy" }];
  const reply = { code: 450, enhanced: "4.2.0", response: "450 4.2.0 jane@example.net is busy" };
  const [found] = outcomesOf(messageOf(lines, { nextAt: AT, reply }));
  assert.deepEqual([found?.nextAt, found?.reply], [AT.toISOString(), reply]);
  const [waiting] = outcomesOf(messageOf(lines, { nextAt: AT, waitsFor: "acc_1/4" }));
  assert.equal(waiting?.nextAt, undefined);
});

test("eventOf() contains neither addresses nor the server's text", () => {
  const event = eventOf({
    ...{ messageId: "msg_1", sendId: "snd_1", index: 0, type: "message.failed", attempt: 1 },
    ...{ at: AT, reason: "Refused jane@example.net" },
    reply: { code: 550, enhanced: "5.1.1", response: "550 5.1.1 <jane@example.net> unknown" },
  }, SUBJECT);
  assert.deepEqual(event, {
    ...{ _id: "evt_1001f", accountId: "acc_1", type: "message.failed", at: AT },
    data: {
      ...{ messageId: "msg_1", sendId: "snd_1", state: "failed", attempt: 1 },
      ...{ reason: "Refused ***@***", reply: { code: 550, enhanced: "5.1.1" }, integrationId: 4 },
      template: { id: 1, alias: "welcome", version: 3 },
      ...{ reference: "order-42", tags: ["a"], metadata: { customer: "4711" } },
    },
  });
});

test("eventOf() cuts a reason that quotes long texts: addresses of ten images, for one", () => {
  const images = Array.from({ length: 10 }, () => `http://host/${"漢".repeat(188)} (404)`);
  const [found] = outcomesOf(messageOf([
    ...[{}, { type: "failed" as const, detail: `its images could not be loaded: ${images}` }],
  ]));
  assert.ok(found);
  const { reason = "" } = eventOf(found, SUBJECT).data as MessageEventData;
  assert.match(reason, /^its images could not be loaded: http:.*…$/);
  assert.ok(reason.length <= 600, `${reason.length} characters`);
});

test("eventOf() names the integration of the attempt, which may not be the send's own", () => {
  const lines = [
    { type: "sending" },
    { type: "deferred" },
    { type: "sending", attempt: 2, integrationId: 5 },
    { type: "sent", attempt: 2, integrationId: 5 },
  ] as const;
  const events = outcomesOf(messageOf([...lines])).map((one) => eventOf(one, SUBJECT));
  assert.deepEqual(events.map(({ data }) => "integrationId" in data && data.integrationId), [4, 5]);
});
