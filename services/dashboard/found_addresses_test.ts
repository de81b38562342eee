import assert from "node:assert/strict";
import { test } from "node:test";
import type { FoundMessage, SearchPage, SearchResult } from "@posthaste/storage";
import { foundAddresses } from "./found_addresses.ts";

const FAILED = { state: "failed", reason: null, reply: null, acceptedAt: new Date(0) };

/** A search that finds messages to some addresses, two at a time. */
function searchIn(emails: readonly string[], isCut = false) {
  return {
    messages: {
      search: (_: string, __: object, { before }: SearchPage): Promise<SearchResult> => {
        const start = Number(before ?? 0);
        const messages = emails.slice(start, start + 2)
          .map((email, at) => ({ ...FAILED, _id: `${start + at}`, email }) as FoundMessage);
        const end = start + 2;
        return Promise.resolve({ messages, next: end < emails.length ? `${end}` : null, isCut });
      },
    },
  };
}

const ASKED = { accountId: "acc_1", filter: {} };

test("foundAddresses() finds each address once, over all pages, and no forgotten one", async () => {
  const emails = [
    "a@x.example",
    "b@x.example",
    "B@X.example",
    "forgotten@forgotten.invalid",
    "c@x.example",
  ];
  const found = async (limit: number) => {
    const { lines, hasMore } = await foundAddresses(searchIn(emails), ASKED, {
      limit,
      forMs: 100,
    });
    return [lines.map((line) => line.split(",")[0]), hasMore];
  };
  assert.deepEqual(await found(9), [["a@x.example", "b@x.example", "c@x.example"], false]);
  assert.deepEqual(await found(3), [["a@x.example", "b@x.example", "c@x.example"], false]);
  assert.deepEqual(await found(2), [["a@x.example", "b@x.example"], true]);
});

test("foundAddresses() fails if its time was not enough, and leaves nothing out in silence", async () => {
  const search = searchIn(["a@x.example"], true);
  await assert.rejects(foundAddresses(search, ASKED, { limit: 9, forMs: 100 }), /Narrow the time/);
});
