/** How much of its places the bulk lane may use, so that the transactional lane is not kept waiting. */
export interface BulkShare {
  /** An event of the transactional lane was taken up, so long after it was published. */
  noteWait(waitMs: number, now: number): void;
  /** Gives how many of so many places the bulk lane may use now; at least one. */
  places(count: number, now: number): number;
}

const FIRST = 1 / 8;

/** From the first share to the whole in about two seconds, as long as nobody waits. */
const GROWTH_PER_MS = 0.0005;

/** Work that comes after so long begins with the first share again. */
const IDLE_MS = 10_000;

/** A wait that is longer than usual by this much shows that the machine is short of something. */
const LONG_WAIT_MS = 15;

/** What happens within this time has one cause. */
const REACTION_MS = 100;

/** How quickly what is usual follows waits that grow; it covers clocks that differ, too. */
const USUAL_WEIGHT = 0.002;

/**
 * Opens the share of a process: it begins small, grows as long as the transactional lane is taken up
 * at once, and is halved when that has to wait (as TCP does with a path that it knows nothing of). All
 * that is seen is the wait: whatever is scarce, a core, the database or the broker, makes it longer.
 */
export function openBulkShare(): BulkShare {
  let share = FIRST;
  let grownAt = -Infinity;
  let usedAt = -Infinity;
  let cutAt = -Infinity;
  let usualMs: number | undefined;
  return {
    noteWait(waitMs, now) {
      usualMs ??= waitMs;
      usualMs = waitMs < usualMs ? waitMs : usualMs + (waitMs - usualMs) * USUAL_WEIGHT;
      if (waitMs - usualMs < LONG_WAIT_MS || now - cutAt < REACTION_MS) return;
      share /= 2;
      cutAt = grownAt = now;
    },
    places(count, now) {
      if (now - usedAt > IDLE_MS) share = Math.min(share, FIRST);
      else share = Math.min(1, share + Math.max(0, now - grownAt) * GROWTH_PER_MS);
      usedAt = grownAt = now;
      return Math.max(1, Math.floor(count * share));
    },
  };
}
