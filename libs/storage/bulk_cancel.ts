import type { MessageState } from "@posthaste/contracts";
import { bulkSearch } from "./bulk_search.ts";
import type { MessageCancel } from "./message_cancel.ts";
import type { MessageFilter } from "./message_filter.ts";
import type { MessageSearch } from "./message_search.ts";

/** States in which no mailer is sending a message. */
export const CANCELABLE_STATES = [
  "scheduled",
  "queued",
  "deferred",
  "unknown",
] as const satisfies MessageState[];

/** Operations that canceling needs. */
export interface BulkCancelDeps {
  messages: Pick<MessageSearch, "search"> & Pick<MessageCancel, "cancelSome">;
  now(): Date;
}

/** The result of canceling many messages. */
export interface BulkCanceled {
  canceled: number;
  /** How many are left, up to 100,000, and those that are found within 10 s. */
  remaining: number;
}

/** Cancels the newest of the messages that a filter finds, and returns how many are left. */
export async function bulkCancel(
  accountId: string,
  asked: MessageFilter,
  { messages, now }: BulkCancelDeps,
): Promise<BulkCanceled> {
  const filter = { ...asked, states: CANCELABLE_STATES };
  const { messages: found, countRest } = await bulkSearch(messages, accountId, filter);
  let canceled = 0;
  // One send after another: each is read once, and may weigh megabytes.
  for (const [sendId, ofSend] of Map.groupBy(found, (message) => message.sendId)) {
    const indexes = new Set(ofSend.map(({ index }) => index));
    canceled += await messages.cancelSome(accountId, { sendId, indexes }, now());
  }
  return { canceled, remaining: await countRest() };
}
