import assert from "node:assert/strict";
import { test } from "node:test";
import {
  eventReason,
  feedEventSchema,
  MAX_METADATA_BYTES,
  metadataBytes,
} from "@posthaste/contracts";
import { outboundEvent } from "./deliver.ts";

test("outboundEvent() makes at most 20,000 bytes of the largest labels and the longest reason", () => {
  const metadata = { a: "x".repeat(MAX_METADATA_BYTES - 8) };
  assert.equal(metadataBytes(metadata), MAX_METADATA_BYTES);
  const ulid = "7".repeat(26);
  const event = outboundEvent({
    ...{ _id: `evt_${"7".repeat(60)}`, accountId: "acc_1", type: "message.deferred" },
    ...{ at: new Date(), sequence: Number.MAX_SAFE_INTEGER },
    data: {
      ...{ messageId: `msg_${ulid}_9999`, sendId: `snd_${ulid}`, batchId: `bat_${ulid}` },
      ...{ state: "deferred", attempt: 9999, nextAt: new Date().toISOString() },
      // JSON needs six bytes for each of these.
      reason: eventReason("\u0001".repeat(10_000)),
      ...{ reply: { code: 599, enhanced: "5.999.999" }, warnings: ["missing_glyphs"] },
      template: { id: Number.MAX_SAFE_INTEGER, alias: "a".repeat(63), version: 99_999 },
      integrationId: Number.MAX_SAFE_INTEGER,
      reference: "漢".repeat(100),
      tags: Array.from({ length: 10 }, () => "t".repeat(64)),
      metadata,
    },
  }, `${"ü".repeat(32)}@${"d".repeat(189)}`);
  assert.ok(feedEventSchema.safeParse(event).success);
  const { length } = Buffer.from(JSON.stringify(event));
  assert.ok(length <= 20_000, `${length} bytes`);
});
