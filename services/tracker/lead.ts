import { pause, untilBeat } from "@posthaste/runtime";
import { type LeaderLease, RENEW_EVERY_MS } from "./leader_lease.ts";

/** Options of {@linkcode lead}. */
export interface LeadOptions {
  /** Ends it. */
  signal: AbortSignal;
  /** Time between two renewals, in milliseconds. @default {RENEW_EVERY_MS} */
  everyMs?: number;
}

/**
 * Runs `work` whenever this process holds the lease, until the signal aborts. Each run has a signal of its
 * own and must end soon after that signal aborts.
 */
export async function lead(
  leaderLease: Pick<LeaderLease, "renew">,
  { signal, everyMs = RENEW_EVERY_MS }: LeadOptions,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    const renewAt = performance.now() + everyMs;
    // Nobody begins to lead while the ledger or the broker is away. A present leader stops if it cannot renew.
    if (await leaderLease.renew().catch(() => false)) {
      await turn(leaderLease, { signal, everyMs, renewAt }, work);
    } else await pause(untilBeat(everyMs), signal);
  }
}

async function turn(
  leaderLease: Pick<LeaderLease, "renew">,
  { signal, everyMs, renewAt: firstRenewAt }: Required<LeadOptions> & { renewAt: number },
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const over = new AbortController();
  const isOver = AbortSignal.any([signal, over.signal]);
  const working = work(isOver).finally(() => over.abort());
  let renewAt = firstRenewAt;
  while (!isOver.aborted) {
    await pause(untilBeat(Math.max(0, renewAt - performance.now())), isOver);
    // The ledger counts from when it is asked, not from its answer.
    renewAt = performance.now() + everyMs;
    if (!isOver.aborted && !await leaderLease.renew().catch(() => false)) over.abort();
  }
  await working;
}
