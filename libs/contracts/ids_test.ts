import assert from "node:assert/strict";
import { test } from "node:test";
import {
  idRanges,
  type IdTimes,
  isSendId,
  MAX_RECIPIENT_INDEX,
  messageIdOf,
  newId,
  newSendId,
  parseMessageId,
  timeOfId,
} from "./ids.ts";

test("newSendId() makes ids that sort by time within an account", () => {
  const times = [0, 1, 31, 32, 1_700_000_000_000, 1_700_000_000_001, 2 ** 48 - 1];
  const ids = times.map((time) => newSendId("acc_1", new Date(time)));
  assert.deepEqual(ids.toSorted(), ids);
  assert.ok(ids.every(isSendId), ids.join());
});

test("newSendId() makes a different id each time within a millisecond", () => {
  const now = new Date();
  const ids = new Set(Array.from({ length: 10_000 }, () => newSendId("acc_1", now)));
  assert.equal(ids.size, 10_000);
});

test("parseMessageId() reverses messageIdOf()", () => {
  const sendId = newSendId("acc_1");
  for (const index of [0, 1, 31, 32, 999, 1024, MAX_RECIPIENT_INDEX]) {
    assert.deepEqual(parseMessageId(messageIdOf(sendId, index)), { sendId, index });
  }
});

test("messageIdOf() sorts by send and then by index", () => {
  const first = newSendId("acc_1", new Date(1000));
  const second = newSendId("acc_1", new Date(2000));
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
    assert.throws(() => messageIdOf(newSendId("acc_1"), index), RangeError);
  }
});

test("parseMessageId() refuses an id of another shape", () => {
  const id = messageIdOf(newSendId("acc_1"), 3);
  const others = ["", newSendId("acc_1"), id.slice(0, -1), `${id}0`, id.toUpperCase(), `${id}\n`];
  for (const other of [...others, id.replace("msg_", "snd_"), `${id.slice(0, -1)}u`]) {
    assert.equal(parseMessageId(other), undefined, JSON.stringify(other));
  }
});

test("isSendId() refuses an id of another shape", () => {
  const id = newSendId("acc_1");
  assert.ok(isSendId(id));
  for (const other of ["", messageIdOf(id, 0), id.slice(0, -1), `${id}0`, `${id.slice(0, -1)}l`]) {
    assert.ok(!isSendId(other), JSON.stringify(other));
  }
});

test("newSendId() always keeps an account in its shard, and uses all shards", () => {
  const shardOf = (accountId: string) => newSendId(accountId)[4];
  // Stored ids contain them.
  assert.equal(["acc_1", "acc_2", "acc_01jzb3", "\u{e9}"].map(shardOf).join(""), "as5h");
  const shards = Array.from({ length: 5000 }, (_, n) => shardOf(`acc_${n}`)).toSorted();
  assert.equal([...new Set(shards)].join(""), "123456789abcdefghjkmnpqrstvwxyz");
});

test("idRanges() separates ids accepted before a time from later ones", () => {
  const at = new Date("2026-03-01T12:00:00Z");
  const early = new Date(at.getTime() - 1);
  const found = (id: string, times: Omit<IdTimes, "accountId">) => {
    const kind = id.slice(0, 3) === "snd" ? "snd" : "msg";
    const ofAll = idRanges(kind, times).filter(({ first, end }) => first <= id && id < end);
    const own = idRanges(kind, { ...times, accountId: "acc_1" })
      .filter(({ first, end }) => first <= id && id < end);
    assert.equal(own.length, ofAll.length);
    return own.length;
  };
  for (const make of [oldSendId, (time: Date) => newSendId("acc_1", time)]) {
    for (const id of [make(early), messageIdOf(make(early), 9)]) {
      assert.deepEqual([found(id, { from: at }), found(id, { until: at }), found(id, {})], [
        0,
        1,
        1,
      ]);
    }
    for (const id of [make(at), messageIdOf(make(at), 0)]) {
      assert.deepEqual([found(id, { from: at }), found(id, { until: at }), found(id, {})], [
        1,
        0,
        1,
      ]);
    }
  }
  assert.equal(idRanges("snd", { from: at }).length, 32);
});

test("idRanges() finds the ids of other accounts in other shards", () => {
  const at = new Date();
  for (let n = 0; n < 500; n++) {
    const id = newSendId(`acc_${n}`, at);
    const ranges = idRanges("snd", { from: at });
    assert.equal(ranges.filter(({ first, end }) => first <= id && id < end).length, 1);
  }
});

test("within an account, ids from before there were shards sort before all others", () => {
  const ids = [oldSendId(new Date(1)), oldSendId(new Date(1_800_000_000_000))];
  for (let n = 0; n < 500; n++) {
    const sorted = [...ids, newSendId(`acc_${n}`, new Date(0))];
    assert.deepEqual(sorted.toSorted(), sorted);
  }
});

test("timeOfId() reads the time of every id", () => {
  const at = new Date("2026-03-01T12:00:00.123Z");
  for (const id of [oldSendId(at), newSendId("acc_1", at)]) {
    assert.deepEqual([timeOfId(id), timeOfId(messageIdOf(id, 7))], [at, at]);
  }
});

/** Returns an id from before there were shards: a ULID. */
function oldSendId(at: Date): string {
  return newId("acc", at).replace("acc_", "snd_");
}
