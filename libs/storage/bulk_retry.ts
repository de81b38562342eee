import { RETRYABLE_STATES } from "@posthaste/contracts";
import { bulkSearch } from "./bulk_search.ts";
import type { MessageFilter, MessageSearch } from "./message_search.ts";
import { ContentRemovedError, type MessageRetry } from "./message_retry.ts";

const IN_PARALLEL = 16;

/** What sending again needs. */
export interface BulkRetryDeps {
  messages: Pick<MessageSearch, "search"> & Pick<MessageRetry, "retry">;
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

/** Sends the newest of the messages that a filter finds again, and returns how many are left. */
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
