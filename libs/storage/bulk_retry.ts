import { RETRYABLE_STATES } from "@posthaste/contracts";
import type { MessageFilter, MessageSearch } from "./message_search.ts";
import { ContentRemovedError, type MessageRetry } from "./message_retry.ts";

/** The most messages that one call changes. */
export const MAX_AT_ONCE = 1000;

/** How long a call looks for messages, in milliseconds. */
export const BULK_SEARCH_MS = 10_000;

const IN_PARALLEL = 16;

/** What sending again needs. */
export interface BulkRetryDeps {
  store: Pick<MessageSearch, "searchMessages"> & Pick<MessageRetry, "retryMessage">;
  now(): Date;
}

/** What became of messages that were to be sent again. */
export interface BulkRetried {
  retried: number;
  /** Their content is not kept any more. */
  withoutContent: number;
  /** How many are left; 1000 means that many or more. */
  remaining: number;
}

/** Has the newest of the messages that a filter finds sent again, and returns how many are left. */
export async function bulkRetry(
  accountId: string,
  filter: MessageFilter,
  { store, now }: BulkRetryDeps,
): Promise<BulkRetried> {
  const page = { limit: MAX_AT_ONCE, forMs: BULK_SEARCH_MS };
  const { messages, next } = await store.searchMessages(accountId, filter, page);
  const ids = messages.map(({ _id }) => _id);
  const states = RETRYABLE_STATES.filter((state) => filter.states?.includes(state) ?? true);
  let retried = 0;
  let withoutContent = 0;
  const work = async () => {
    for (let id = ids.pop(); id !== undefined; id = ids.pop()) {
      try {
        const options = { now: now(), states };
        if (await store.retryMessage(accountId, id, options) !== null) retried++;
      } catch (error) {
        if (!(error instanceof ContentRemovedError)) throw error;
        withoutContent++;
      }
    }
  };
  await Promise.all(Array.from({ length: IN_PARALLEL }, work));
  const rest = next === null
    ? []
    : (await store.searchMessages(accountId, filter, { ...page, before: next })).messages;
  return { retried, withoutContent, remaining: rest.length };
}
