/** Waits before the first restarts of a part, in milliseconds. */
const DELAYS_MS = [500, 2000, 5000] as const;

/** A part that has run this long does not count as crashing repeatedly, in milliseconds. */
export const CALM_MS = 60_000;

/**
 * Returns how long to wait before a part is started again.
 *
 * @param ends When it ended, in milliseconds, this time included
 * @returns `undefined` when it has ended too often within a minute
 */
export function restartDelay(ends: readonly number[]): number | undefined {
  const last = ends.at(-1) ?? 0;
  const recent = ends.filter((at) => last - at < CALM_MS).length;
  return DELAYS_MS[Math.max(recent, 1) - 1];
}
