import { RETRYABLE_STATES } from "@posthaste/contracts";
import { bulkSearch } from "./bulk_search.ts";
import type { MessageFilter } from "./message_filter.ts";
import type { MessageSearch } from "./message_search.ts";
import { ContentRemovedError, type MessageRetry } from "./message_retry.ts";

const IN_PARALLEL = 16;

/** Operations that retrying needs. */
export interface BulkRetryDeps {
  messages: Pick<MessageSearch, "search"> & Pick<MessageRetry, "retry">;
  now(): Date;
}

/** The result of retrying many messages. */
export interface BulkRetried {
  retried: number;
  /** Messages whose content was removed. */
  withoutContent: number;
  /** How many are left, up to 100,000, and those that are found within 10 s. */
  remaining: number;
}

/** Retries the newest of the messages that a filter finds, and returns how many are left. */
export async function bulkRetry(
  accountId: string,
  filter: MessageFilter,
  { messages, now }: BulkRetryDeps,
): Promise<BulkRetried> {
  const { messages: found, countRest } = await bulkSearch(messages, accountId, filter);
  const ids = found.map(({ _id }) => _id);
  const states = RETRYABLE_STATES.filter((state) => filter.states?.includes(state) ?? true);
  let retried = 0;
  let withoutContent = 0;
  const work = async () => {
    for (let id = ids.pop(); id !== undefined; id = ids.pop()) {
      try {
        const options = { now: now(), states };
        if (await messages.retry(accountId, id, options) !== null) retried++;
      } catch (error) {
        if (!(error instanceof ContentRemovedError)) throw error;
        withoutContent++;
      }
    }
  };
  await Promise.all(Array.from({ length: IN_PARALLEL }, work));
  return { retried, withoutContent, remaining: await countRest() };
}
