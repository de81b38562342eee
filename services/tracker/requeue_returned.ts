import type { StorePart } from "@posthaste/storage";
import type { Flow, Returned } from "./flow.ts";
import { withoutRegister } from "./without_register.ts";

/** How many returned attempts of an integration the scheduler remembers. */
const MAX_RETURNED = 50;

/**
 * Lets small sends wait in the ledger if more attempts of their integration came back than the scheduler remembers. Their
 * server is slower than they arrive, and new ones wait behind them. Those that a printer returned go on with bulk priority:
 * mail without PDFs need not wait behind them. What came with bulk priority stays: the window bounds it.
 */
export async function requeueReturned(
  flow: Pick<Flow, "returned" | "integrationsReturned" | "release" | "wake">,
  deps: StorePart<"waiting.requeueSends" | "registers.find">,
): Promise<void> {
  const newest = flow.integrationsReturned().flatMap((key) =>
    flow.returned(key).slice(MAX_RETURNED).filter(({ priority }) => priority !== "bulk")
  );
  const open = await withoutRegister(newest, { flow, ...deps });
  if (open.length === 0) return;
  const bySend = Map.groupBy(open, ({ sendId }) => sendId);
  const requeued = await deps.waiting.requeueSends([...bySend].map(([id, attempts]) => ({
    ...{ id, index: lowestOf(attempts) },
    by: attempts.every(({ stage }) => stage === "pdf") ? "pdf" : "mailer",
  })));
  for (const id of requeued) for (const attempt of bySend.get(id) ?? []) flow.release(attempt);
}

function lowestOf(attempts: readonly Returned[]): number {
  return Math.min(...attempts.map(({ index }) => index));
}
