import { openTokenBuckets } from "@posthaste/limits";
import { HttpError } from "./http_error.ts";

const WINDOW_MS = 5 * 60_000;
const MAX_PROBES = 15;

/** Keeps an account from testing one server after another, as open ports are searched, and from other costly work. */
export interface ProbeLimit {
  /** Counts a probe. @throws {HttpError} `too_many_requests` */
  count(accountId: string): void;
}

/**
 * Opens the limit: a burst of 15 probes of an account, and 15 more in 5 minutes, in this process.
 *
 * @param what What is counted, for people.
 * @param clock A monotonic clock in milliseconds.
 */
export function openProbeLimit(
  { what = "tests", clock = performance }: { what?: string; clock?: { now(): number } } = {},
): ProbeLimit {
  const buckets = openTokenBuckets({ perMs: MAX_PROBES / WINDOW_MS, burst: MAX_PROBES });
  return {
    count(accountId) {
      const retryAfter = Math.ceil(buckets.take(accountId, clock.now()) / 1000);
      if (retryAfter === 0) return;
      throw new HttpError(
        "too_many_requests",
        `Too many ${what} (limit: 15 in 5 minutes). Retry in ${retryAfter} s`,
        { retryAfter },
      );
    },
  };
}
