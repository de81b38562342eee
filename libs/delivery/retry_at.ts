const minute = 60_000;
const hour = 60 * minute;

/** The waits after the first attempts, as multiples of the first; the last one then repeats. */
const MULTIPLES = [1, 5, 15, 30, 60, 120, 240];

/**
 * Returns when a deferred mail is tried again: after 1, 5, 15, 30 min, 1, 2, 4 h, then every 4 hours, each
 * wait longer or shorter by up to 20 %. Null means: give up.
 *
 * `attempt` is the attempt that just failed, 1 for the first. `random` returns 0 to 1. `firstMs` is the first
 * wait, a minute by default: the others are the same multiples of it. `giveUpAfterMs` counts from the
 * acceptance, 48 hours by default. If the last wait would end later than this, the last attempt is made
 * exactly then.
 */
export function retryAt(
  options: {
    attempt: number;
    acceptedAt: Date;
    now: Date;
    random?: () => number;
    giveUpAfterMs?: number;
    firstMs?: number;
  },
): Date | null {
  const { attempt, acceptedAt, now, random = Math.random } = options;
  const { giveUpAfterMs = 48 * hour, firstMs = minute } = options;
  const giveUpAt = acceptedAt.getTime() + giveUpAfterMs;
  if (now.getTime() >= giveUpAt) return null;
  const wait = firstMs * (MULTIPLES[Math.min(Math.max(attempt, 1), MULTIPLES.length) - 1] ?? 240);
  const jittered = wait * (0.8 + 0.4 * random());
  return new Date(Math.min(now.getTime() + Math.round(jittered), giveUpAt));
}
