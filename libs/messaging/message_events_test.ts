import { MAX_EVENT_BYTES, newSendId } from "@posthaste/contracts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { fitsEvent, type MessageWithBytes, splitIntoEvents } from "./message_events.ts";
import { readTail } from "./tail.ts";

const SEND = {
  ...{ v: 4 as const, sendId: newSendId("acc_1"), accountId: "acc_1", priority: "bulk" as const },
  ...{ acceptedAt: "2026-03-01T10:00:00.000Z", integrationId: 4 },
  from: { email: "shop@example.com" },
};

function messageOf(index: number, { html = "", pdf = 0, subject = "" }) {
  return {
    ...{ index, attempt: 0, to: { email: "ann@example.com" }, subject },
    html: { bytes: Buffer.from(html) },
    text: { key: "k" },
    attachments: [{ filename: "a.pdf", bytes: Buffer.alloc(pdf, index) }],
  } satisfies MessageWithBytes<"messages.printed">;
}

test("splitIntoEvents() keeps the order, the bytes and the limit of an event", () => {
  const messages = Array.from(
    { length: 30 },
    (_, index) =>
      messageOf(index, {
        html: "€".repeat(index * 500),
        pdf: 40_000,
        subject: "\u{1}".repeat(900),
      }),
  );
  const events = splitIntoEvents("messages.printed", SEND, { messages, maxCount: 10 });
  for (const { data, tail } of events) {
    const bytes = Buffer.byteLength(JSON.stringify(data)) + (tail?.length ?? 0);
    assert.ok(bytes <= MAX_EVENT_BYTES, `${bytes} bytes`);
  }
  const opened = events.flatMap(({ type, data, tail }) =>
    type === "messages.printed" ? readTail(data.messages, tail) : []
  );
  assert.deepEqual(opened, messages);
  assert.ok(events.length > 3 && events.length < 15, `${events.length} events`);
});

test("splitIntoEvents() puts at most `maxCount` messages into an event", () => {
  const messages = Array.from({ length: 7 }, (_, index) => messageOf(index, {}));
  const events = splitIntoEvents("messages.printed", SEND, { messages, maxCount: 3 });
  const counts = events.map(({ data }) => "messages" in data && data.messages.length);
  assert.deepEqual(counts, [3, 3, 1]);
  assert.deepEqual(events.map((event) => "tail" in event), [false, false, false]);
});

test("fitsEvent() counts the JSON of a message and its bytes", () => {
  const fits = (given: Parameters<typeof messageOf>[1]) => fitsEvent(messageOf(0, given));
  assert.ok(fits({ pdf: 510_000 }));
  assert.ok(!fits({ pdf: 516_000 }));
  assert.ok(!fits({ pdf: 450_000, html: "€".repeat(25_000) }));
  assert.ok(!fits({ pdf: 460_000, subject: "\u{1}".repeat(10_000) }));
});
