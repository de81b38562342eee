/**
 * Opens the pace of work that gathers: it is done at most once in an interval, and immediately if none was
 * done in the last one. What comes alone need not wait, and what comes often is done together.
 *
 * @param everyMs The interval, in milliseconds.
 * @param clock A monotonic clock in milliseconds.
 * @returns A function that returns how long to wait before the next time, in milliseconds. It counts as done then.
 */
export function openPace(
  everyMs: number,
  clock: { now(): number } = performance,
): () => number {
  let at = -Infinity;
  return () => {
    const now = clock.now();
    at = Math.max(now, at + everyMs);
    return at - now;
  };
}
