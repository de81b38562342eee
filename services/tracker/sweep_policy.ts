import type { StreamState } from "@posthaste/messaging";
import type { UnfinishedMessage } from "@posthaste/storage";

/** What to do about an unfinished message: dispatch it again, or look once more at a time. */
export type SweepDecision = { dispatch: true } | { dispatch: false; lookAt: Date };

/** What the broker holds, by the name of the stream. */
export type StreamStates = ReadonlyMap<string, StreamState>;

/** What a decision is made by. */
export interface SweepView {
  streams: StreamStates;
  now: Date;
  /** A message moves from stage to stage within this time, unless it waits in a queue. */
  graceMs: number;
}

/** A repeated dispatch is given this long before it is doubted, in milliseconds. */
export function patienceMs(graceMs: number): number {
  return 2 * graceMs;
}

/** After the ledger was away it is left to others for so long, in milliseconds. */
export function recoveryMs(graceMs: number): number {
  return graceMs / 2;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

// The clocks of a service and of the broker may differ by so much.
const CLOCK_SKEW_MS = 5000;

/** Streams that may hold the event of a message in a state. */
const HELD_BY = {
  queued: ["RENDER"],
  rendered: ["PRINT", "MAIL"],
  printed: ["MAIL"],
} as const;

/**
 * Decides about one unfinished message. A message that waits in a queue, however long, is left alone:
 * its stream holds something at least as old. One that no stream can hold any more is lost.
 */
export function decideSweep(message: UnfinishedMessage, view: SweepView): SweepDecision {
  const { now } = view;
  switch (message.state) {
    case "deferred": {
      // It is the releaser's, until it lets it go.
      if (message.parkedFor) return { dispatch: false, lookAt: new Date(now.getTime() + HOUR_MS) };
      // The broker brings it back at its time. Only what it lost is missing some time after that: to
      // dispatch at the time itself would have every retry come twice.
      return unlessHeld(message.nextAt ?? message.enteredAt, ["RENDER", "PRINT", "MAIL"], view);
    }
    case "sending":
      return at(message.leaseUntil ?? now, now);
    case "queued":
    case "rendered":
    case "printed":
      return unlessHeld(message.enteredAt, HELD_BY[message.state], view);
    default:
      // Held for a person to decide.
      return { dispatch: false, lookAt: new Date(now.getTime() + DAY_MS) };
  }
}

/** Dispatches what has been on its way for a while, unless a stream holds something at least as old. */
function unlessHeld(
  since: Date,
  names: readonly string[],
  { streams, now, graceMs }: SweepView,
): SweepDecision {
  const due = new Date(since.getTime() + graceMs);
  if (due > now) return { dispatch: false, lookAt: due };
  const isHeld = names.some((name) => {
    const oldest = streams.get(name)?.oldestAt;
    return oldest && oldest.getTime() <= since.getTime() + CLOCK_SKEW_MS;
  });
  return isHeld
    ? { dispatch: false, lookAt: new Date(now.getTime() + graceMs) }
    : { dispatch: true };
}

function at(due: Date, now: Date): SweepDecision {
  return due <= now ? { dispatch: true } : { dispatch: false, lookAt: due };
}
