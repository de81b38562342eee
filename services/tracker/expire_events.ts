import type { StorePart } from "@posthaste/storage";

/** The dependencies of expiring events. */
export type ExpireEventsDeps =
  & StorePart<"accounts.list" | "events.removeOld">
  & {
    /** How long events are kept, in milliseconds. */
    eventsKeptMs: number;
    now(): Date;
  };

/** Removes events that are kept no longer. Returns their number. */
export async function expireEvents(deps: ExpireEventsDeps, signal: AbortSignal): Promise<number> {
  const before = new Date(deps.now().getTime() - deps.eventsKeptMs);
  let removed = 0;
  for (const { _id } of await deps.accounts.list()) {
    if (!signal.aborted) removed += await deps.events.removeOld(_id, before);
  }
  return removed;
}
