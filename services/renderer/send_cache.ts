import { isScheduled, type Send } from "@posthaste/contracts";
import { LRUCache } from "lru-cache";

// Of JSON; in memory a send takes up to three times as much.
const MAX_BYTES = 32 * 1024 ** 2;

/**
 * Returns a reader of sends that caches the last ones. A large send whose messages come back piece by piece,
 * because its server refuses them or its events were lost, is then read once and not for each piece. The
 * fields of a send that a renderer needs never change. A missing send is not cached.
 */
export function openSendCache(
  loadSend: (id: string) => Promise<Send | null>,
  { maxBytes = MAX_BYTES }: { maxBytes?: number } = {},
): (id: string) => Promise<Send | null> {
  const sends = new LRUCache<string, Send>({
    maxSize: maxBytes,
    sizeCalculation: ({ request }) => JSON.stringify(request).length,
    // An entry that is evicted while it is fetched is still the answer for all waiting callers.
    ignoreFetchAbort: true,
    fetchMethod: async (id) => await loadSend(id) ?? undefined,
  });
  return async (id) => {
    const send = await sends.fetch(id) ?? null;
    // Its start may change.
    if (send !== null && isScheduled(send)) sends.delete(id);
    return send;
  };
}
