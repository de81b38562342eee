/** Waits after the failures of one event, in seconds: the first attempt is made immediately. */
const WAITS_S = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];

/** Waits are up to this part longer or shorter, so that many do not come back at the same time. */
const JITTER = 0.1;

/** Maximum pause that an endpoint may request, in milliseconds. */
const MAX_RETRY_AFTER_MS = 24 * 3_600_000;

/** Input of the time of the next attempt. */
export interface Failure {
  /** Failures of this event up to now, this one included. */
  tries: number;
  now: Date;
  /** The endpoint's `Retry-After`, in milliseconds. */
  retryAfterMs?: number | undefined;
  /** From 0 to 1. */
  random: number;
}

/** Returns when an event that failed is tried again; `null` when it is given up. */
export function retryAt({ tries, now, retryAfterMs = 0, random }: Failure): Date | null {
  const wait = WAITS_S[tries - 1];
  if (wait === undefined) return null;
  const spread = 1 - JITTER + 2 * JITTER * random;
  const asked = Math.min(retryAfterMs, MAX_RETRY_AFTER_MS);
  return new Date(now.getTime() + Math.max(asked, wait * 1000 * spread));
}

/**
 * Reads `Retry-After` (RFC 9110, 10.2.3), in milliseconds from now; `undefined` if it is none.
 */
export function retryAfterMs(value: string | undefined, now: Date): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime());
}
