import assert from "node:assert/strict";
import { test } from "node:test";
import { cpuRatio } from "@posthaste/kit";
import {
  eventReason,
  FEED_EVENT_DATA,
  FEED_EVENT_TYPES,
  feedEventSchema,
  maskAddresses,
} from "./feed_event.ts";

test("maskAddresses() leaves no address in a sentence", () => {
  assert.equal(
    maskAddresses("Refused <jane.doe@example.net>, and jörg@müller.example too"),
    "Refused <***@***>, and ***@*** too",
  );
  assert.equal(
    maskAddresses("No box o'brien@example.com: a@b@c.example"),
    "No box ***@***: ***@***",
  );
  assert.equal(maskAddresses("No address: 5.1.1 at 12:00"), "No address: 5.1.1 at 12:00");
});

test("maskAddresses() takes a time that grows with the length of a word alone", async () => {
  const mask = (length: number) => () => void maskAddresses("a".repeat(length));
  const ratio = await cpuRatio(mask(16_000), mask(2_000), { runs: 3, below: 24 });
  // Linear is 8, quadratic 64.
  assert.ok(ratio < 24, `${ratio} times`);
});

test("eventReason() masks addresses, and cuts what is longer than 600 characters then", () => {
  assert.equal(eventReason("Refused a@b.example"), "Refused ***@***");
  const longest = "x".repeat(600);
  assert.equal(eventReason(longest), longest);
  assert.equal(eventReason(`${longest}y`), `${"x".repeat(599)}…`);
  const masked = eventReason("a@b ".repeat(200));
  assert.equal(masked.length, 600);
  assert.doesNotMatch(masked, /a@b/);
  assert.equal(eventReason("😀".repeat(300)), "😀".repeat(300));
  // No half of a character stays, which would read as U+FFFD.
  assert.equal(eventReason("😀".repeat(301)), `${"😀".repeat(299)}…`);
  assert.ok(eventReason("\ud83d").isWellFormed());
});

test("feedEventSchema reads what FEED_EVENT_DATA has for every type", () => {
  assert.deepEqual(Object.keys(FEED_EVENT_DATA), [...FEED_EVENT_TYPES]);
  const event = { id: "evt_1", timestamp: "2026-01-01T00:00:00.000Z", sequence: 1 };
  const data = { integrationId: 1, reason: "x" };
  assert.ok(feedEventSchema.safeParse({ ...event, type: "integration.paused", data }).success);
  assert.ok(!feedEventSchema.safeParse({ ...event, type: "message.bounced", data }).success);
});
