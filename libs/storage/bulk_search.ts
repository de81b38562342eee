import type { FoundMessage, MessageFilter, MessageSearch } from "./message_search.ts";

/** How long a call searches for messages, in milliseconds. */
export const BULK_SEARCH_MS = 10_000;

/** The most messages that one call changes. */
export const MAX_AT_ONCE = 1000;

/** The messages that a bulk call found. */
export interface BulkFound {
  /** The newest, at most {@linkcode MAX_AT_ONCE}. */
  messages: FoundMessage[];
  /** Counts the messages after them, up to the same number. */
  countRest(): Promise<number>;
}

/** Finds the messages that one call changes. */
export async function bulkSearch(
  { search: searchMessages }: Pick<MessageSearch, "search">,
  accountId: string,
  filter: MessageFilter,
): Promise<BulkFound> {
  const page = { limit: MAX_AT_ONCE, forMs: BULK_SEARCH_MS };
  const { messages, next } = await searchMessages(accountId, filter, page);
  return {
    messages,
    async countRest() {
      if (next === null) return 0;
      return (await searchMessages(accountId, filter, { ...page, before: next })).messages.length;
    },
  };
}
