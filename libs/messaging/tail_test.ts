import assert from "node:assert/strict";
import { test } from "node:test";
import { carryTail, closeTail, openTail } from "./tail.ts";
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
  assert.deepEqual(carryTail(MESSAGES, undefined), { messages: MESSAGES });
  assert.deepEqual(carryTail([{ index: 1 }], TAIL), { messages: [{ index: 1 }] });
});

test("takeApart() gives each message its own part of the tail", () => {
  const delivery = { type: "messages.printed", data: { messages: MESSAGES }, tail: TAIL };
  const parts = takeApart(delivery as unknown as Delivery<"messages.printed">);
  assert.deepEqual(parts.map(({ tail }) => tail && String(tail)), ["aaa", "bb", "cccc", undefined]);
});

test("closeTail() gives each part the place of its bytes, and openTail() the bytes of each place", () => {
  const stored = { key: "k" };
  const mail = (html: string) => ({ html: { bytes: Buffer.from(html) }, text: stored, index: 1 });
  const pdf = { attachments: [STORED, { filename: "a", bytes: Buffer.from("%PDF") }] };
  const given = [mail("<p>ä"), mail(""), pdf];
  const { messages, tail } = closeTail<object>(given);
  assert.deepEqual(messages, [
    { html: { offset: 0, size: 5 }, text: stored, index: 1 },
    { html: { offset: 5, size: 0 }, text: stored, index: 1 },
    { attachments: [STORED, { filename: "a", offset: 5, size: 4 }] },
  ]);
  assert.equal(String(tail), "<p>ä%PDF");
  assert.deepEqual(openTail(messages, tail), given);
});

test("closeTail() makes no tail of nothing", () => {
  const empty = { html: { bytes: Buffer.alloc(0) } };
  const { messages, tail } = closeTail<object>([empty, { index: 1 }]);
  assert.deepEqual([messages, tail], [[{ html: { offset: 0, size: 0 } }, { index: 1 }], undefined]);
  assert.deepEqual(openTail(messages), [{ html: { bytes: new Uint8Array() } }, { index: 1 }]);
});

test("openTail() leaves a part its place where the tail is too short", () => {
  const messages = [{ html: { offset: 1, size: 2 }, text: { offset: 2, size: 2 } }];
  const html = { bytes: Buffer.from("bc") };
  assert.deepEqual(openTail(messages, Buffer.from("abc")), [{ ...messages[0], html }]);
});
