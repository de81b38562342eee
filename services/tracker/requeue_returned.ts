import type { StorePart } from "@posthaste/storage";
import type { Flow, Returned } from "./flow.ts";

/** How many returned attempts of an integration the scheduler remembers. */
const MAX_RETURNED = 500;

/**
 * Lets small sends wait in the ledger if more attempts of their integration came back than the scheduler remembers: their
 * server is slower than they arrive, and new ones then wait behind them. Parts of large sends stay: their integration's
 * window bounds them.
 */
export async function requeueReturned(
  flow: Pick<Flow, "returned" | "integrationsReturned" | "release">,
  { waiting: { requeueSends } }: StorePart<"waiting.requeueSends">,
): Promise<void> {
  const newest = flow.integrationsReturned().flatMap((key) =>
    flow.returned(key).slice(MAX_RETURNED)
  );
  if (newest.length === 0) return;
  const bySend = Map.groupBy(newest, ({ sendId }) => sendId);
  const requeued = await requeueSends(
    [...bySend].map(([id, attempts]) => ({ id, index: firstOf(attempts) })),
  );
  for (const id of requeued) for (const attempt of bySend.get(id) ?? []) flow.release(attempt);
}

function firstOf(attempts: readonly Returned[]): number {
  return Math.min(...attempts.map(({ index }) => index));
}
