import type { Account } from "@posthaste/contracts";
import type { ContentRemoval } from "@posthaste/storage";
import assert from "node:assert/strict";
import { test } from "node:test";
import { expireContents } from "./expire_contents.ts";

const NOW = new Date("2026-03-08T12:00:00Z");
const accountOf = (_id: string, contentDays: number): Account => ({
  ...{
    _id,
    name: _id,
    createdAt: NOW,
    requiresSecondFactor: false,
    suppressRefused: true,
    locale: null,
  },
  retention: { contentDays },
});

test("expireContents() removes by each account's days, until nothing is left", async () => {
  const asked: string[] = [];
  const total = await expireContents({
    accounts: {
      list: () => Promise.resolve([accountOf("acc_7", 7), accountOf("acc_0", 0)]),
    },
    retention: {
      removeContents: ({ accountId, before }: ContentRemoval) => {
        asked.push(`${accountId} ${before.toISOString()}`);
        return Promise.resolve({ removed: 2, hasMore: asked.length === 1 });
      },
    },
    usage: {
      forget: async (accountId: string, before: Date) => {
        await Promise.resolve();
        asked.push(`${accountId} usage before ${before.toISOString()}`);
      },
    },
    now: () => NOW,
  }, new AbortController().signal);
  assert.equal(total, 6);
  assert.deepEqual(asked, [
    "acc_7 2026-03-01T12:00:00.000Z",
    "acc_7 2026-03-01T12:00:00.000Z",
    "acc_7 usage before 2026-03-01T12:00:00.000Z",
    "acc_0 2026-03-08T11:59:00.000Z",
    "acc_0 usage before 2026-03-08T11:59:00.000Z",
  ]);
});
