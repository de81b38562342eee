import type { StorePart } from "@posthaste/storage";

/** The dependencies of expiring contents. */
export type ExpireContentsDeps =
  & StorePart<"accounts.list" | "retention.removeContents" | "usage.forget">
  & { now(): Date };

const DAY_MS = 24 * 3_600_000;
const BATCH_SIZE = 500;

/** Time after its acceptance during which a send is left alone, even if nothing is kept. */
const SHORTEST_MS = 60_000;

/** Removes contents by the settings of each account. Returns the number of sends. */
export async function expireContents(
  deps: ExpireContentsDeps,
  signal: AbortSignal,
): Promise<number> {
  let total = 0;
  for (const { _id: accountId, retention } of await deps.accounts.list()) {
    for (let hasMore = true; hasMore && !signal.aborted;) {
      const now = deps.now();
      const keptMs = Math.max(retention.contentDays * DAY_MS, SHORTEST_MS);
      const before = new Date(now.getTime() - keptMs);
      const done = await deps.retention.removeContents({
        accountId,
        before,
        limit: BATCH_SIZE,
        now,
      });
      total += done.removed;
      hasMore = done.hasMore;
      if (!hasMore) await deps.usage.forget(accountId, before);
    }
  }
  return total;
}
