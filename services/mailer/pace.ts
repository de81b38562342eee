/** A bucket of tokens that fills evenly: mails that may go out. Times in milliseconds. */
export interface Pace {
  tokens: number;
  at: number;
}

const BURST_MS = 1000;

/**
 * Takes a token if there is one. A bucket holds what comes in within a second, at least one, so that
 * no minute sees more than the rate and one second's worth.
 *
 * @returns the milliseconds until there is a token; 0 if one was taken
 */
export function takeToken(pace: Pace, perMinute: number, now: number): number {
  const perMs = perMinute / 60_000;
  const room = Math.max(1, perMs * BURST_MS);
  pace.tokens = Math.min(room, pace.tokens + Math.max(0, now - pace.at) * perMs);
  pace.at = now;
  if (pace.tokens >= 1) {
    pace.tokens -= 1;
    return 0;
  }
  return Math.ceil((1 - pace.tokens) / perMs);
}
