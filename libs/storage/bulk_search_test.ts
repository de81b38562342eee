import assert from "node:assert/strict";
import { test } from "node:test";
import { bulkSearch, MAX_BULK_MESSAGES, MAX_COUNTED_REST } from "./bulk_search.ts";
import type { FoundMessage, SearchPage, SearchResult } from "./message_search.ts";

/** Returns a search over so many messages; it cuts the page that would begin at `cutAt`. */
function searchOver(total: number, cutAt = Infinity) {
  return {
    search(_account: string, _filter: unknown, { limit, before }: SearchPage) {
      const start = Number(before ?? 0);
      const isCut = start >= cutAt;
      const end = isCut ? start + 1 : Math.min(total, start + limit);
      const messages = Array<FoundMessage>(end - start).fill({} as FoundMessage);
      const next = end === total ? null : String(end);
      return Promise.resolve<SearchResult>({ messages, next, isCut });
    },
  };
}

const restOf = async (search: ReturnType<typeof searchOver>) => {
  const { messages, countRest } = await bulkSearch(search, "acc_1", {});
  assert.ok(messages.length <= MAX_BULK_MESSAGES);
  return await countRest();
};

test("bulkSearch() counts all messages that one call does not take", async () => {
  assert.equal(await restOf(searchOver(3)), 0);
  assert.equal(await restOf(searchOver(1000)), 0);
  assert.equal(await restOf(searchOver(5200)), 4200);
});

test("bulkSearch() ends its count when the time is over, or at its limit", async () => {
  assert.equal(await restOf(searchOver(5200, 3000)), 2001);
  assert.equal(await restOf(searchOver(500_000)), MAX_COUNTED_REST);
});
