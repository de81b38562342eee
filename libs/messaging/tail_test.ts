import assert from "node:assert/strict";
import { test } from "node:test";
import { carryTail, isWhole, readTail, writeTail } from "./tail.ts";
import { takeApart } from "./_take_apart.ts";
import type { Delivery } from "./step.ts";

const TAIL = Buffer.from("aaabbcccc");
const STORED = { filename: "stored", key: "k", size: 7 };
const MESSAGES = [
  { index: 0, attachments: [{ filename: "a", offset: 0, size: 3 }] },
  { index: 1, attachments: [STORED, { filename: "b", offset: 3, size: 2 }] },
  { index: 2, attachments: [{ filename: "c", offset: 5, size: 4 }] },
  { index: 3, attachments: [STORED] },
];

test("carryTail() gives messages their parts of a tail, and no others", () => {
  const [first, , third] = MESSAGES;
  const { messages, tail } = carryTail([third, first].filter((one) => one !== undefined), TAIL);
  assert.equal(String(tail), "ccccaaa");
  assert.deepEqual(messages, [
    { index: 2, attachments: [{ filename: "c", offset: 0, size: 4 }] },
    { index: 0, attachments: [{ filename: "a", offset: 4, size: 3 }] },
  ]);
});

test("carryTail() carries none where no message has a part of it", () => {
  assert.deepEqual(carryTail(MESSAGES.slice(3), TAIL), { messages: MESSAGES.slice(3) });
  assert.deepEqual(carryTail([{ index: 1 }], TAIL), { messages: [{ index: 1 }] });
});

test("takeApart() gives each message its own part of the tail", () => {
  const delivery = { type: "messages.printed", data: { messages: MESSAGES }, tail: TAIL };
  const parts = takeApart(delivery as unknown as Delivery<"messages.printed">);
  assert.deepEqual(parts.map(({ tail }) => tail && String(tail)), ["aaa", "bb", "cccc", undefined]);
});

test("writeTail() gives each part the place of its bytes, and readTail() the bytes of each place", () => {
  const stored = { key: "k" };
  const mail = (html: string) => ({ html: { bytes: Buffer.from(html) }, text: stored, index: 1 });
  const pdf = { attachments: [STORED, { filename: "a", bytes: Buffer.from("%PDF") }] };
  const given = [mail("<p>ä"), mail(""), pdf];
  const { messages, tail } = writeTail<object>(given);
  assert.deepEqual(messages, [
    { html: { offset: 0, size: 5 }, text: stored, index: 1 },
    { html: { offset: 5, size: 0 }, text: stored, index: 1 },
    { attachments: [STORED, { filename: "a", offset: 5, size: 4 }] },
  ]);
  assert.equal(String(tail), "<p>ä%PDF");
  assert.deepEqual(readTail(messages, tail), given);
});

test("writeTail() returns no tail if there are no bytes", () => {
  const empty = { html: { bytes: Buffer.alloc(0) } };
  const { messages, tail } = writeTail<object>([empty, { index: 1 }]);
  assert.deepEqual([messages, tail], [[{ html: { offset: 0, size: 0 } }, { index: 1 }], undefined]);
  assert.deepEqual(readTail(messages), [{ html: { bytes: new Uint8Array() } }, { index: 1 }]);
});

test("isWhole() tells whether a tail has the bytes of all parts", () => {
  const messages = [{ html: { offset: 1, size: 2 }, text: { key: "k" }, attachments: [STORED] }, {
    attachments: [{ filename: "a", offset: 3, size: 1 }],
  }];
  assert.ok(isWhole(messages, Buffer.from("abcd")));
  assert.ok(!isWhole(messages, Buffer.from("abc")));
  assert.ok(!isWhole([{ html: { offset: 0, size: 1 } }]));
  assert.ok(isWhole([{ html: { offset: 0, size: 0 } }, {}]));
});
