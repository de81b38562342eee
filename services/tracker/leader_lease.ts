import { randomBytes } from "node:crypto";
import type { Store } from "@posthaste/storage";

/** The lease of work that one tracker does for all. Disposing it leaves the work to the others. */
export interface LeaderLease extends AsyncDisposable {
  /** Returns whether this process holds the lease. The answer is valid for about two seconds. */
  isMine(): Promise<boolean>;
}

/** Time after which another tracker takes over from a lost one. */
const LEASE_MS = 4000;

const ASK_MS = 2000;

/** Opens a leader lease. The first request acquires it, not the opening. */
export function openLeaderLease(
  { leases: { take: takeLeaderLease, leave: leaveLeaderLease } }: Pick<Store, "leases">,
  { name, clock = performance }: { name: string; clock?: { now(): number } },
): LeaderLease {
  const holder = randomBytes(8).toString("hex");
  let askedAt = -Infinity;
  let isMine = false;
  return {
    async isMine() {
      const now = clock.now();
      if (now - askedAt < ASK_MS) return isMine;
      isMine = false;
      isMine = await takeLeaderLease({ name, holder, forMs: LEASE_MS });
      askedAt = now;
      return isMine;
    },
    async [Symbol.asyncDispose]() {
      // If the ledger cannot be informed, the lease expires by itself.
      if (isMine) await leaveLeaderLease({ name, holder }).catch(() => undefined);
    },
  };
}
