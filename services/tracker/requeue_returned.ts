import { priorityOf } from "@posthaste/contracts";
import type { StorePart } from "@posthaste/storage";
import type { Flow, Returned } from "./flow.ts";
import { withoutRegister } from "./without_register.ts";

/** The dependencies of letting sends wait again. */
export type RequeueDeps = StorePart<
  "waiting.requeueSends" | "registers.find" | "sends.heads"
>;

/** How many attempts that printers returned the scheduler remembers of an integration. */
const MAX_FROM_PRINTERS = 1000;

/**
 * Lets small sends wait in the ledger that mailers returned: their server is slower than they arrive, and new ones wait
 * behind them. What printers returned stays in the scheduler, since mail without PDFs need not wait behind it; what is
 * beyond its limit waits in the ledger with bulk priority. Large sends stay, too: the window bounds what comes back of
 * them.
 */
export async function requeueReturned(
  flow: Pick<Flow, "returned" | "integrationsReturned" | "release" | "wake">,
  deps: RequeueDeps,
): Promise<void> {
  const returned = flow.integrationsReturned().flatMap((key) => {
    const { pdf = [], mailer = [] } = Object.groupBy(
      flow.returned(key),
      ({ stage = "mailer" }) => stage,
    );
    return [...mailer, ...pdf.slice(MAX_FROM_PRINTERS)];
  });
  const open = await withoutRegister(await ofSmallSends(returned, deps), { flow, ...deps });
  if (open.length === 0) return;
  const bySend = Map.groupBy(open, ({ sendId }) => sendId);
  const requeued = await deps.waiting.requeueSends([...bySend].map(([id, attempts]) => ({
    ...{ id, index: Math.min(...attempts.map(({ index }) => index)) },
    by: attempts.every(({ stage }) => stage === "pdf") ? "pdf" : "mailer",
  })));
  for (const id of requeued) for (const attempt of bySend.get(id) ?? []) flow.release(attempt);
}

async function ofSmallSends(
  returned: readonly Returned[],
  { sends }: StorePart<"sends.heads">,
): Promise<Returned[]> {
  // Only the first recipients of a large send look like those of a small one: the others need no look-up.
  const candidates = returned.filter(({ index }) => priorityOf(index + 1) === "transactional");
  if (candidates.length === 0) return [];
  const heads = await sends.heads([...new Set(candidates.map(({ sendId }) => sendId))]);
  const small = new Set(
    heads.flatMap(({ _id, priority }) => priority === "transactional" ? [_id] : []),
  );
  return candidates.filter(({ sendId }) => small.has(sendId));
}
