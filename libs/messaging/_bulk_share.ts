/** How much of its places the bulk lane may use, so that the transactional lane is not kept waiting. */
export interface BulkShare {
  /** An event of the transactional lane was taken up, so long after it was published. */
  noteWait(waitMs: number, now: number): void;
  /** Another process of this machine has seen one wait. */
  press(now: number): void;
  /** Gives how many of so many places the bulk lane may use now; below one, it is to rest in between. */
  places(count: number, now: number): number;
}

const FIRST = 1 / 32;
const LEAST = 1 / 64;

/** To the whole in one second without work of the transactional lane. */
const GROWTH_PER_MS = 0.001;

/** Twice as much in so long beside it: every step too far ends in mail that has to wait. */
const DOUBLING_MS = 20_000;

/** The transactional lane has work if some came within this time. */
const BESIDE_MS = 5000;

/** Work that comes after so long begins with the first share again. */
const IDLE_MS = 10_000;

/** A wait that is longer than usual by this much shows that the machine is short of something. */
const LONG_WAIT_MS = 6;

/** One wait in a hundred may be long: collections of garbage are, with nobody beside. */
const MAY_BE_LONG = 0.01;

/** What happens within this time has one cause. */
const REACTION_MS = 100;

/** How quickly what is usual follows waits that grow; it covers clocks that differ, too. */
const USUAL_WEIGHT = 0.002;

/**
 * Opens the share of a process: it begins small, grows as long as the transactional lane is taken up
 * at once, and is halved when more than one in a hundred has to wait (as TCP does with a path that it
 * knows nothing of). All that is seen is the wait: whatever is scarce, a core, the database or the
 * broker, makes it longer.
 *
 * @param tellOthers Called when it has to wait, at most every 100 ms: another process may be the reason.
 */
export function openBulkShare(tellOthers: () => void = () => undefined): BulkShare {
  let share = FIRST;
  let grownAt = -Infinity;
  let usedAt = -Infinity;
  let cutAt = -Infinity;
  let waitedAt = -Infinity;
  let usualMs: number | undefined;
  /** How many waits may be long now; at most one. */
  let mayBeLong = 0;
  const halve = (now: number) => {
    share = Math.max(LEAST, share / 2);
    cutAt = grownAt = now;
  };
  return {
    noteWait(waitMs, now) {
      waitedAt = now;
      usualMs ??= waitMs;
      usualMs = waitMs < usualMs ? waitMs : usualMs + (waitMs - usualMs) * USUAL_WEIGHT;
      mayBeLong = Math.min(1, mayBeLong + MAY_BE_LONG);
      if (waitMs - usualMs < LONG_WAIT_MS || now - cutAt < REACTION_MS) return;
      if (mayBeLong === 1) {
        mayBeLong = 0;
        return;
      }
      halve(now);
      tellOthers();
    },
    press(now) {
      waitedAt = now;
      if (now - cutAt >= REACTION_MS) halve(now);
    },
    places(count, now) {
      const sinceMs = Math.max(0, now - grownAt);
      if (now - usedAt > IDLE_MS) share = Math.min(share, FIRST);
      else if (now - waitedAt < BESIDE_MS) {
        share = Math.min(1, share * 2 ** (sinceMs / DOUBLING_MS));
      } else share = Math.min(1, share + sinceMs * GROWTH_PER_MS);
      usedAt = grownAt = now;
      return count * share;
    },
  };
}
