import assert from "node:assert/strict";
import { test } from "node:test";
import { carryTail } from "./carry_tail.ts";
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
