import { Problem } from "./problem.ts";

/** How often something may be tried in vain. */
export interface AttemptRule {
  /** Failures that cost nothing. */
  free: number;
  /** Wait after the next one, in milliseconds; it doubles with each more. */
  waitMs: number;
}

/** Who tries, under each of the names that are counted. */
export type AttemptKeys = Readonly<Record<string, AttemptRule>>;

/** Counts what is tried in vain, in this process. */
export interface Attempts {
  /**
   * Counts an attempt as failed: of many at once none slips through.
   * @throws {Problem} `too_many_requests` if one must wait.
   */
  begin(keys: AttemptKeys): void;
  /** Takes back that an attempt failed; with `forget`, all failures under the keys. */
  succeed(keys: AttemptKeys, options?: { forget?: readonly string[] }): void;
}

interface Count {
  failures: number;
  lastAt: number;
  waitUntil: number;
}

/** Per address and e-mail: whoever mistypes has five tries. */
export const PER_PERSON: AttemptRule = { free: 5, waitMs: 60_000 };

/** Per address, from which a whole office may come. */
export const PER_ADDRESS: AttemptRule = { free: 30, waitMs: 60_000 };

const LONGEST_WAIT_MS = 15 * 60_000;
// Failures are forgotten after this time without another.
const KEPT_MS = 30 * 60_000;

/**
 * Opens the count. It keeps `max` names at most, and forgets those that tried longest ago first.
 *
 * @param options.clock Milliseconds that never go back.
 */
export function openAttempts(
  options: { max?: number; clock?: { now(): number } } = {},
): Attempts {
  const { max = 20_000, clock = performance } = options;
  const counts = new Map<string, Count>();

  function countOf(key: string, now: number): Count {
    const found = counts.get(key);
    if (found === undefined || now - found.lastAt > KEPT_MS) {
      return { failures: 0, lastAt: now, waitUntil: 0 };
    }
    return found;
  }

  function keep(key: string, count: Count): void {
    // A Map lists what was set first, first.
    counts.delete(key);
    counts.set(key, count);
    for (const oldest of counts.keys()) {
      if (counts.size <= max) break;
      counts.delete(oldest);
    }
  }

  return {
    begin(keys) {
      const now = clock.now();
      const waits = Object.keys(keys).map((key) => countOf(key, now).waitUntil - now);
      const wait = Math.max(...waits);
      if (wait > 0) throw tooMany(wait);
      for (const [key, { free, waitMs }] of Object.entries(keys)) {
        const failures = countOf(key, now).failures + 1;
        const over = failures - free;
        const waitUntil = over < 0 ? 0 : now + Math.min(waitMs * 2 ** over, LONGEST_WAIT_MS);
        keep(key, { failures, lastAt: now, waitUntil });
      }
    },
    succeed(keys, { forget = [] } = {}) {
      for (const key of Object.keys(keys)) {
        const count = counts.get(key);
        if (count === undefined) continue;
        if (forget.includes(key) || count.failures <= 1) counts.delete(key);
        else counts.set(key, { ...count, failures: count.failures - 1, waitUntil: 0 });
      }
    },
  };
}

function tooMany(waitMs: number): Problem {
  const retryAfter = Math.ceil(waitMs / 1000);
  const wait = retryAfter < 90 ? `${retryAfter} seconds` : `${Math.ceil(retryAfter / 60)} minutes`;
  return new Problem("too_many_requests", `That was tried too often: wait ${wait}`, {
    retryAfter,
  });
}
