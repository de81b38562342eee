import { openSemaphore } from "@posthaste/limits";

/** Counts what each account has in a lane that all of them share. */
export interface LaneShare {
  /** Takes one place; call what it returns to leave. `undefined` when the account has its share. */
  enter(accountId: string): (() => void) | undefined;
}

/**
 * Shares out `places`: an account may hold as many as are still free. One account alone gets half of
 * them, two get a third each, and there is always room for one that has nothing here yet.
 */
export function openLaneShare(places: number): LaneShare {
  const semaphore = openSemaphore({ max: places, maxPerOwner: (free) => free });
  return {
    enter(accountId) {
      const permit = semaphore.tryAcquire(accountId);
      return permit && (() => permit[Symbol.dispose]());
    },
  };
}
