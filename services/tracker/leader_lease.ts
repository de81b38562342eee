import { randomBytes } from "node:crypto";
import type { LeaderLeaseStore } from "@posthaste/storage";

/** Work that one of the trackers does for all of them. Disposing leaves it to the others. */
export interface LeaderLease extends AsyncDisposable {
  /** Returns whether it is this process's turn; that holds for the next two seconds or so. */
  isMine(): Promise<boolean>;
}

/** Another tracker takes over from one that is lost after this long. */
const LEASE_MS = 4000;

const ASK_MS = 2000;

/** Opens a leader lease; nothing is asked before it is wanted. */
export function openLeaderLease(
  { takeLeaderLease, leaveLeaderLease }: LeaderLeaseStore,
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
      // Who cannot be told finds out by itself.
      if (isMine) await leaveLeaderLease({ name, holder }).catch(() => undefined);
    },
  };
}
