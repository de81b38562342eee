import { headers as natsHeaders } from "@nats-io/nats-core";
import { messageIdOf } from "@posthaste/contracts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { rendered, requested, resumed } from "./_test_bus.ts";
import { TAIL_HEADER } from "./_headers.ts";
import { readEvent, type Rejection } from "./_read_event.ts";
import { statusEventsIn } from "./report_status_events.ts";

const SUBJECT = "send.requested.transactional";
const { sendId } = requested("acc_1").data;

function arriving(subject: string, body: unknown, tail?: Uint8Array) {
  const json = Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  const headers = natsHeaders();
  if (tail !== undefined) headers.set(TAIL_HEADER, String(tail.length));
  return { subject, headers, data: Buffer.concat([json, tail ?? new Uint8Array()]) };
}

function httpErrorOf(body: unknown, subject = SUBJECT): Rejection {
  const event = readEvent(arriving(subject, body));
  assert.ok(!event.ok);
  return event.refusal;
}

/** Index, attempt and reason of each failure. */
function reported(refusal: Rejection): unknown[] {
  return refusal.failures.flatMap(statusEventsIn).map((failure) => {
    assert.ok(failure.type === "status.message.failed");
    const { data } = failure;
    assert.equal(data.messageId, messageIdOf(sendId, data.index));
    assert.deepEqual([data.sendId, data.accountId, data.stage], [sendId, "acc_1", "pipeline"]);
    return [data.index, data.attempt, data.reason];
  });
}

test("readEvent() gives an event that matches its schema", () => {
  const { data } = requested("acc_1");
  assert.deepEqual(readEvent(arriving(SUBJECT, data)), {
    ok: true,
    delivery: { type: "send.requested", data },
  });
});

test("readEvent() splits the bytes behind an event's JSON from it", () => {
  const { type, data } = rendered("acc_1");
  const tail = Uint8Array.from([0, 123, 125, 255]);
  const event = readEvent<typeof type>(arriving("messages.rendered.mail.bulk", data, tail));
  assert.ok(event.ok);
  assert.deepEqual(event.delivery.data, data);
  assert.deepEqual(Buffer.from(event.delivery.tail ?? []), Buffer.from(tail));
});

test("readEvent() refuses an event whose tail lacks bytes of a message, and fails its messages", () => {
  const { data } = rendered("acc_1");
  const messages = data.messages.map((one) => ({ ...one, html: { offset: 0, size: 3 } }));
  const subject = "messages.rendered.mail.bulk";
  const read = (tail?: Uint8Array) => readEvent(arriving(subject, { ...data, messages }, tail));
  assert.ok(read(Buffer.from("<p>")).ok);
  for (const tail of [Buffer.from("<p"), undefined]) {
    const event = read(tail);
    assert.ok(!event.ok);
    const { reason, kind, failures } = event.refusal;
    assert.deepEqual([reason, kind, failures.length], ["its tail is too short", "malformed", 1]);
  }
});

test("readEvent() reports the failure of every message that a broken event names", () => {
  const reason = 'An event of the message could not be read: "priority" does not match its schema';
  const broken = { priority: "express" };
  const recipients = [3, 4].map((index) => ({ index, attempt: 0, email: "ann@example.com" }));
  assert.deepEqual(reported(httpErrorOf({ ...requested("acc_1").data, ...broken, recipients })), [
    [3, 0, reason],
    [4, 0, reason],
  ]);
  assert.deepEqual(
    reported(httpErrorOf({ ...resumed(2, { index: 5 }).data, ...broken }, "send.resumed.bulk")),
    [[5, 2, reason]],
  );
  assert.deepEqual(
    reported(httpErrorOf({ ...rendered("acc_1").data, ...broken }, "messages.rendered.mail.bulk")),
    [[0, 0, reason]],
  );
});

test("readEvent() says that an event is newer than itself, and fails no message of it", () => {
  const refusal = httpErrorOf({ ...rendered("acc_1").data, v: 5 }, "messages.rendered.mail.bulk");
  assert.equal(refusal.kind, "newer");
  assert.equal(refusal.reason, "its version 5 is newer than 4");
  assert.deepEqual(refusal.failures, []);
});

test("readEvent() fails no message of an event from before an upgrade: it is redispatched", () => {
  const refusal = httpErrorOf({ ...requested("acc_1").data, v: 1 });
  assert.deepEqual([refusal.kind, refusal.failures], ["older", []]);
  assert.equal(refusal.reason, "its version 1 is older than 2");
});

test("readEvent() reports no failure where it cannot know of which message", () => {
  const known = { v: 2, sendId, accountId: "acc_1" };
  const unknown: unknown[] = [
    "no JSON",
    "null",
    "[]",
    "7",
    {},
    known,
    { ...known, messages: [{ index: -1 }] },
    { ...known, messages: [{ index: 32 ** 4 }] },
    { ...known, again: [{ index: "1" }] },
    { ...known, recipients: [null, {}, 7] },
    { ...known, sendId: "snd_1", messages: [{ index: 0 }] },
    { ...known, sendId: 7, messages: [{ index: 0 }] },
    { ...known, accountId: undefined, messages: [{ index: 0 }] },
  ];
  for (const body of unknown) {
    assert.deepEqual(httpErrorOf(body).failures, [], JSON.stringify(body));
  }
  assert.equal(httpErrorOf("no JSON").reason, "it is not JSON");
  assert.equal(httpErrorOf({}, "webhook.called").reason, "its subject is unknown");
});

test("readEvent() reports no failure of a message that is only asked about", () => {
  const question = { v: 3, sendId, accountId: "acc_1", index: 0 };
  const refusal = httpErrorOf(question, "content.requested");
  assert.deepEqual([refusal.failures, refusal.kind], [[], "newer"]);
  assert.deepEqual(httpErrorOf({ ...question, v: 2, index: -1 }, "content.requested").failures, []);
});
