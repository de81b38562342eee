import assert from "node:assert/strict";
import { test } from "node:test";
import { openStore } from "@posthaste/storage";
import { openTestMongo, testSend } from "@posthaste/kit";
import { expireSends } from "./expire_sends.ts";

const DAY_MS = 86_400_000;

const oldSend = (acceptedAt: Date) => testSend({ acceptedAt, settledAt: acceptedAt });

test("expireSends() removes in batches all sends past their retention, and nothing younger", async () => {
  await using mongo = await openTestMongo();
  await using store = await openStore({ url: mongo.url });
  const now = new Date("2026-06-01T00:00:00Z");
  for (let n = 0; n < 210; n++) {
    await store.sends.accept(oldSend(new Date(now.getTime() - 91 * DAY_MS + n)));
  }
  await store.sends.accept(oldSend(new Date(now.getTime() - 89 * DAY_MS)));
  const { signal } = new AbortController();
  const deps = { ...store, now: () => now };
  assert.equal(await expireSends(deps, { keptMs: 90 * DAY_MS, signal }), 210);
  assert.equal((await store.sends.list("acc_1", { limit: 9 })).length, 1);
  assert.equal(await expireSends(deps, { keptMs: 90 * DAY_MS, signal }), 0);
});
