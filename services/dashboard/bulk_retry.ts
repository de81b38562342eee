import { ContentRemovedError, type MessageRetry, type MessageSearch } from "@posthaste/storage";
import type { MessageFilter } from "@posthaste/storage";
import type { BulkRetried } from "./interface/messages.ts";

/** The most messages that are sent again in one call. */
export const MAX_AT_ONCE = 1000;

const IN_PARALLEL = 16;

/** What sending again needs. */
export interface BulkRetryDeps {
  store: Pick<MessageSearch, "searchMessages"> & Pick<MessageRetry, "retryMessage">;
  now(): Date;
}

/** Has the newest of the messages that a filter finds sent again, and tells how many are left. */
export async function bulkRetry(
  accountId: string,
  filter: MessageFilter,
  { store, now }: BulkRetryDeps,
): Promise<BulkRetried> {
  const page = { limit: MAX_AT_ONCE, forMs: 10_000 };
  const { messages, next } = await store.searchMessages(accountId, filter, page);
  const ids = messages.map(({ _id }) => _id);
  let retried = 0;
  let withoutContent = 0;
  const work = async () => {
    for (let id = ids.pop(); id !== undefined; id = ids.pop()) {
      try {
        if (await store.retryMessage(accountId, id, now()) !== null) retried++;
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
