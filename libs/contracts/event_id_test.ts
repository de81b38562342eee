import assert from "node:assert/strict";
import { test } from "node:test";
import { messageEventId, otherEventId, settledEventId } from "./event_id.ts";

const MESSAGE = "msg_01kbz000000000000000000000000a";
const SEND = "snd_01kbz00000000000000000000a";

test("messageEventId() distinguishes attempts and types, in one length", () => {
  const of = (attempt: number, type: "message.sent" | "message.deferred") =>
    messageEventId(MESSAGE, { attempt, type });
  assert.equal(of(1, "message.sent"), "evt_01kbz000000000000000000000000a001s");
  assert.equal(of(33, "message.deferred"), "evt_01kbz000000000000000000000000a011d");
  assert.notEqual(of(1, "message.sent"), of(1, "message.deferred"));
});

test("settledEventId() and otherEventId() have the length of the others, and keep their order", () => {
  const length = messageEventId(MESSAGE, { attempt: 1, type: "message.sent" }).length;
  assert.equal(settledEventId(SEND, 3).length, length);
  assert.ok(settledEventId(SEND, 999) < settledEventId(SEND, 1000));
  const other = (time: number) => otherEventId(new Date(time), "0".repeat(24));
  assert.equal(other(Date.parse("2026-01-01")).length, length);
  assert.ok(other(31) < other(32));
});
