import type { MessageFilter } from "./message_filter.ts";
import type { FoundMessage, MessageSearch } from "./message_search.ts";

/** How long a call searches for messages, in milliseconds. */
export const BULK_SEARCH_MS = 10_000;

/** The most messages that one call changes. */
export const MAX_BULK_MESSAGES = 1000;

/** The most of the other messages that are counted. */
export const MAX_COUNTED_REST = 100_000;

/** The messages that a bulk call found. */
export interface BulkFound {
  /** The newest, at most {@linkcode MAX_BULK_MESSAGES}. */
  messages: FoundMessage[];
  /**
   * Counts the messages after them, up to {@linkcode MAX_COUNTED_REST} and for {@linkcode BULK_SEARCH_MS}. What
   * is not counted then is left out.
   */
  countRest(): Promise<number>;
}

/** Finds the messages that one call changes. */
export async function bulkSearch(
  { search: searchMessages }: Pick<MessageSearch, "search">,
  accountId: string,
  filter: MessageFilter,
): Promise<BulkFound> {
  const page = { limit: MAX_BULK_MESSAGES, forMs: BULK_SEARCH_MS };
  const { messages, next } = await searchMessages(accountId, filter, page);
  return {
    messages,
    async countRest() {
      const until = performance.now() + BULK_SEARCH_MS;
      let count = 0;
      for (let before = next; before !== null && count < MAX_COUNTED_REST;) {
        const forMs = until - performance.now();
        if (forMs <= 0) break;
        const more = await searchMessages(accountId, filter, { ...page, before, forMs });
        count += more.messages.length;
        before = more.isCut ? null : more.next;
      }
      return count;
    },
  };
}
