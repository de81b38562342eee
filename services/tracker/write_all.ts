import { type MessageStatusEvent, type Outgoing, reportsOf } from "@posthaste/messaging";
import { allSettled } from "@posthaste/runtime";

/**
 * Writes outcomes of messages, and then reports all that were written: one that cannot be must not hide the others.
 * Returns the number of reported ones.
 *
 * @param write Writes one, and returns what to report of it.
 * @throws The first error, after the work on all others.
 */
export async function writeAll<T>(
  outcomes: readonly T[],
  write: (outcome: T) => Promise<MessageStatusEvent[]>,
  publish: (report: Outgoing) => Promise<void>,
): Promise<number> {
  const { results, errors } = await allSettled(outcomes, write);
  const statusEvents = results.flat();
  for (const report of reportsOf(statusEvents)) await publish(report);
  if (errors.length > 0) throw errors[0];
  return statusEvents.length;
}
