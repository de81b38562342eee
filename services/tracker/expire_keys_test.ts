import assert from "node:assert/strict";
import { test } from "node:test";
import { expireKeysForever } from "./expire_keys.ts";

test("expireKeysForever() frees keys older than 7 days, at once and also after a failure", async () => {
  const stop = new AbortController();
  const asked: string[] = [];
  const ended = expireKeysForever({
    sends: {
      expireIdempotencyKeys: (before) => {
        asked.push(before.toISOString());
        return Promise.reject(new Error("away"));
      },
    },
    now: () => new Date("2026-03-08T12:00:00Z"),
    logger: { info: () => {}, warn: (line) => void asked.push(line) },
  }, stop.signal);
  await new Promise(setImmediate);
  stop.abort();
  await ended;
  assert.deepEqual(asked, [
    "2026-03-01T12:00:00.000Z",
    "Cannot free idempotency keys, retrying",
  ]);
});
