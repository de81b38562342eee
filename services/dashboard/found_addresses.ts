import { FORGOTTEN_ADDRESS, messageCsvLine } from "@posthaste/contracts";
import type { MessageFilter, StorePart } from "@posthaste/storage";
import { HttpError } from "./http_error.ts";

/** How many addresses are looked for, and for how long. */
export interface AddressLimits {
  /** The most addresses. */
  limit: number;
  /** In milliseconds. */
  forMs: number;
}

/** The addresses of some messages. */
export interface FoundAddresses {
  /** The lines of a CSV file: the newest message of each address, newest first. */
  lines: string[];
  /** Whether there are more than the limit. */
  hasMore: boolean;
}

/** Messages that one query reads. */
const PAGE = 1000;

/**
 * Finds the addresses of the messages that match a filter, each once. Those of forgotten people are left out.
 *
 * @throws {HttpError} `unavailable` if the time was not enough.
 */
export async function foundAddresses(
  { messages: { search: searchMessages } }: StorePart<"messages.search">,
  { accountId, filter }: { accountId: string; filter: MessageFilter },
  { limit, forMs }: AddressLimits,
): Promise<FoundAddresses> {
  const until = performance.now() + forMs;
  const byAddress = new Map<string, string>();
  let before: string | undefined;
  for (;;) {
    const restMs = Math.max(0, until - performance.now());
    const page = await searchMessages(accountId, filter, { limit: PAGE, before, forMs: restMs });
    for (const { _id: id, ...message } of page.messages) {
      const key = message.email.toLowerCase();
      if (key === FORGOTTEN_ADDRESS || byAddress.has(key)) continue;
      if (byAddress.size === limit) return { lines: [...byAddress.values()], hasMore: true };
      byAddress.set(key, messageCsvLine({ id, ...message }));
    }
    if (page.isCut) {
      throw new HttpError("unavailable", "The search took too long. Narrow the time range");
    }
    if (page.next === null) return { lines: [...byAddress.values()], hasMore: false };
    before = page.next;
  }
}
