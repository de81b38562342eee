import { setTimeout as delay } from "node:timers/promises";

const BEAT_MS = 1000;

/** Waits for a time in milliseconds, or until the signal aborts. Never throws. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}

/**
 * Returns a pause of about this length, in milliseconds, that ends on a whole second of the process' clock: those of a
 * process then end together, and to wake for several things costs little more than to wake for one.
 *
 * A pause of a second or more may be half a second shorter or longer: it is for questions that are asked again and
 * again, not for a time that must pass. A shorter one stays as it is.
 */
export function untilBeat(ms: number, now = performance.now()): number {
  return ms < BEAT_MS ? ms : Math.round((now + ms) / BEAT_MS) * BEAT_MS - now;
}
