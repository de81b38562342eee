import assert from "node:assert/strict";
import { test } from "node:test";
import { FEED_EVENT_DATA, FEED_EVENT_TYPES, feedEventSchema, maskAddresses } from "./feed_event.ts";

test("maskAddresses() leaves no address in a sentence", () => {
  assert.equal(
    maskAddresses("Refused <jane.doe@example.net>, and jörg@müller.example too"),
    "Refused <***@***>, and ***@*** too",
  );
  assert.equal(maskAddresses("No address: 5.1.1 at 12:00"), "No address: 5.1.1 at 12:00");
});

test("feedEventSchema accepts the data of FEED_EVENT_DATA for every type", () => {
  assert.deepEqual(Object.keys(FEED_EVENT_DATA), [...FEED_EVENT_TYPES]);
  const event = { id: "evt_1", timestamp: "2026-01-01T00:00:00.000Z", sequence: 1 };
  const data = { integrationId: 1, reason: "x" };
  assert.ok(feedEventSchema.safeParse({ ...event, type: "integration.paused", data }).success);
  assert.ok(!feedEventSchema.safeParse({ ...event, type: "message.bounced", data }).success);
});
