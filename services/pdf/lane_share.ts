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
  const held = new Map<string, number>();
  let total = 0;
  return {
    enter(accountId) {
      const own = held.get(accountId) ?? 0;
      if (own >= places - total) return undefined;
      held.set(accountId, own + 1);
      total++;
      return () => {
        total--;
        const left = (held.get(accountId) ?? 0) - 1;
        if (left > 0) held.set(accountId, left);
        else held.delete(accountId);
      };
    },
  };
}
