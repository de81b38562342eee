import { setTimeout as delay } from "node:timers/promises";
import type { LeaderLease } from "./leader_lease.ts";

/** The lease asks the ledger every other time. */
const ASK_MS = 1000;

/**
 * Runs `work` whenever this process holds the lease, until the signal aborts. Each run has a signal of its
 * own and must end soon after that signal aborts.
 */
export async function lead(
  leaderLease: Pick<LeaderLease, "isMine">,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    // Nobody begins to lead while the ledger or the broker is away. A present leader stops when its lease ends.
    if (await leaderLease.isMine().catch(() => false)) await turn(leaderLease, signal, work);
    await delay(ASK_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function turn(
  leaderLease: Pick<LeaderLease, "isMine">,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const over = new AbortController();
  const isOver = AbortSignal.any([signal, over.signal]);
  const working = work(isOver).finally(() => over.abort());
  while (!isOver.aborted) {
    await delay(ASK_MS, undefined, { signal: isOver }).catch(() => undefined);
    if (!isOver.aborted && !await leaderLease.isMine().catch(() => false)) over.abort();
  }
  await working;
}
