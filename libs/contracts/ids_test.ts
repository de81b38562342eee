import assert from "node:assert/strict";
import { test } from "node:test";
import {
  idsFrom,
  isSendId,
  MAX_RECIPIENT_INDEX,
  messageIdOf,
  newSendId,
  parseMessageId,
} from "./ids.ts";

test("newSendId() makes ids that sort by time", () => {
  const times = [0, 1, 31, 32, 1_700_000_000_000, 1_700_000_000_001, 2 ** 48 - 1];
  const ids = times.map((time) => newSendId(new Date(time)));
  assert.deepEqual(ids.toSorted(), ids);
  assert.ok(ids.every(isSendId), ids.join());
});

test("newSendId() makes another id each time within a millisecond", () => {
  const now = new Date();
  const ids = new Set(Array.from({ length: 10_000 }, () => newSendId(now)));
  assert.equal(ids.size, 10_000);
});

test("messageIdOf() is undone by parseMessageId()", () => {
  const sendId = newSendId();
  for (const index of [0, 1, 31, 32, 999, 1024, MAX_RECIPIENT_INDEX]) {
    assert.deepEqual(parseMessageId(messageIdOf(sendId, index)), { sendId, index });
  }
});

test("messageIdOf() sorts by send and then by index", () => {
  const first = newSendId(new Date(1000));
  const second = newSendId(new Date(2000));
  const ids = [
    messageIdOf(first, 0),
    messageIdOf(first, 9),
    messageIdOf(first, 10),
    messageIdOf(first, 1000),
    messageIdOf(second, 0),
  ];
  assert.deepEqual(ids.toSorted(), ids);
});

test("messageIdOf() refuses an index that does not fit", () => {
  for (const index of [-1, 0.5, Number.NaN, MAX_RECIPIENT_INDEX + 1]) {
    assert.throws(() => messageIdOf(newSendId(), index), RangeError);
  }
});

test("parseMessageId() knows no id of another shape", () => {
  const id = messageIdOf(newSendId(), 3);
  const others = ["", newSendId(), id.slice(0, -1), `${id}0`, id.toUpperCase(), `${id}\n`];
  for (const other of [...others, id.replace("msg_", "snd_"), `${id.slice(0, -1)}u`]) {
    assert.equal(parseMessageId(other), undefined, JSON.stringify(other));
  }
});

test("isSendId() knows no id of another shape", () => {
  const id = newSendId();
  assert.ok(isSendId(id));
  for (const other of ["", messageIdOf(id, 0), id.slice(0, -1), `${id}0`, `${id.slice(0, -1)}l`]) {
    assert.ok(!isSendId(other), JSON.stringify(other));
  }
});

test("idsFrom() divides what was accepted before a time from what was at it or later", () => {
  const at = new Date("2026-03-01T12:00:00Z");
  const [early, late] = [new Date(at.getTime() - 1), at].map((time) => newSendId(time));
  assert.ok(String(early) < idsFrom("snd", at) && String(late) >= idsFrom("snd", at));
  assert.ok(messageIdOf(String(early), 9) < idsFrom("msg", at));
  assert.ok(messageIdOf(String(late), 0) >= idsFrom("msg", at));
});
