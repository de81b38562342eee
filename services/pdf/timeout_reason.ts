import type { WatchEnd } from "./watch_print.ts";

/** The machine is busy if a document takes this many times its own processor time. */
const BUSY = 1.5;

/**
 * Returns why a document was ended that took too long, for the author of its template.
 *
 * @param time Its limit of processor time, in milliseconds
 */
export function timeoutReason(
  { how, workedMs, elapsedMs }: WatchEnd,
  time: number,
): string {
  const limit = `${time / 1000} s`;
  const elapsed = `${Math.round(elapsedMs / 1000)} s`;
  if (workedMs < time) {
    const worked = `${Math.floor(workedMs / 1000)} s of browser time (limit: ${limit})`;
    const why = how === "starved" ? ": the machine is too busy" : "";
    return `the document was not done after ${elapsed}, in which it had ${worked}${why}`;
  }
  const inAll = elapsedMs < BUSY * time ? "" : ` of browser time (${elapsed} on a busy machine)`;
  return `the document took longer than ${limit}${inAll}`;
}
