import { setTimeout as delay } from "node:timers/promises";

const BEAT_MS = 1000;

/**
 * Waits for a time in milliseconds, or until the signal aborts. Never throws.
 *
 * The long pauses of a process end together, on whole seconds of its clock: to wake for several things costs little
 * more than to wake for one. So a pause of a second or more may end half a second early or late: it is for questions
 * that are asked again and again, not for a time that must pass.
 */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await delay(untilBeat(ms), undefined, { signal }).catch(() => undefined);
}

/** Returns how long a pause really lasts that begins now, in milliseconds. */
export function untilBeat(ms: number, now = performance.now()): number {
  return ms < BEAT_MS ? ms : Math.round((now + ms) / BEAT_MS) * BEAT_MS - now;
}
