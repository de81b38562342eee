import assert from "node:assert/strict";
import { test } from "node:test";
import { expireKeys } from "./expire_keys.ts";

test("expireKeys() frees keys older than 7 days", async () => {
  const asked: string[] = [];
  const freed = await expireKeys({
    sends: {
      expireIdempotencyKeys: (before) => Promise.resolve(asked.push(before.toISOString())),
    },
    now: () => new Date("2026-03-08T12:00:00Z"),
  });
  assert.deepEqual([freed, asked], [1, ["2026-03-01T12:00:00.000Z"]]);
});
