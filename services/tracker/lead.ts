import { pause } from "@posthaste/runtime";
import type { LeaderLease } from "./leader_lease.ts";

/** The lease lasts twice as long. */
const RENEW_EVERY_MS = 2000;

/**
 * Runs `work` whenever this process holds the lease, until the signal aborts. Each run has a signal of its
 * own and must end soon after that signal aborts.
 */
export async function lead(
  leaderLease: Pick<LeaderLease, "renew">,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    // Nobody begins to lead while the ledger or the broker is away. A present leader stops when its lease ends.
    if (await leaderLease.renew().catch(() => false)) await turn(leaderLease, signal, work);
    await pause(RENEW_EVERY_MS, signal);
  }
}

async function turn(
  leaderLease: Pick<LeaderLease, "renew">,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const over = new AbortController();
  const isOver = AbortSignal.any([signal, over.signal]);
  const working = work(isOver).finally(() => over.abort());
  while (!isOver.aborted) {
    await pause(RENEW_EVERY_MS, isOver);
    if (!isOver.aborted && !await leaderLease.renew().catch(() => false)) over.abort();
  }
  await working;
}
