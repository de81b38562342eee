import { Problem } from "./problem.ts";

const WINDOW_MS = 5 * 60_000;
const MOST_IN_WINDOW = 15;
const MOST_ACCOUNTS = 10_000;

/** Keeps an account from trying one server after the other: that is how one looks for open doors. */
export interface ProbeLimit {
  /** Counts a probe. @throws {Problem} `too_many_requests` */
  count(accountId: string): void;
}

/**
 * Opens the count: 15 probes of an account in 5 minutes, in this process.
 *
 * @param clock Milliseconds that never go back.
 */
export function openProbeLimit(clock: { now(): number } = performance): ProbeLimit {
  const probes = new Map<string, number[]>();
  return {
    count(accountId) {
      const now = clock.now();
      const recent = (probes.get(accountId) ?? []).filter((at) => at > now - WINDOW_MS);
      const [oldest = now] = recent;
      if (recent.length >= MOST_IN_WINDOW) {
        const retryAfter = Math.ceil((oldest + WINDOW_MS - now) / 1000);
        throw new Problem(
          "too_many_requests",
          `Cannot test more often: 15 times in 5 minutes; go on in ${retryAfter} seconds`,
          { retryAfter },
        );
      }
      // A Map lists what was set first, first.
      probes.delete(accountId);
      probes.set(accountId, [...recent, now]);
      const [first] = probes.keys();
      if (probes.size > MOST_ACCOUNTS && first !== undefined) probes.delete(first);
    },
  };
}
