import { type NextAction, nextAction } from "@posthaste/delivery";
import type { StreamState } from "@posthaste/messaging";
import type { AttemptOutcome, UnfinishedMessage } from "@posthaste/storage";

/** What to do about an unfinished message, or when to look at it once more. */
export type SweepDecision =
  | NextAction<AttemptOutcome> & { do: "dispatch" | "complete" | "unknown" }
  | { do: "look"; at: Date };

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

/** Streams that may hold the event of a message. */
const STREAMS = ["RENDER", "PRINT", "MAIL"];

/**
 * Decides about one unfinished message. A message that waits in a queue, however long, is left alone:
 * its stream holds something at least as old. One that no stream can hold any more is lost.
 */
export function decideSweep(message: UnfinishedMessage, view: SweepView): SweepDecision {
  const { now, graceMs } = view;
  const { outcome, register, nextAt, enteredAt } = message;
  const action = nextAction(outcome, register);
  switch (action.do) {
    case "complete":
    case "unknown":
      return action;
    case "wait":
      return { do: "look", at: new Date(now.getTime() + patienceMs(graceMs)) };
    case "nothing":
      // Held for a person to decide.
      return { do: "look", at: new Date(now.getTime() + DAY_MS) };
    case "dispatch":
      // What has a time is dispatched when that has come, by a search of its own.
      if (nextAt) {
        const after = Math.max(nextAt.getTime(), now.getTime()) + patienceMs(graceMs);
        return { do: "look", at: new Date(after) };
      }
      return unlessHeld(action, enteredAt, view);
  }
}

/** Dispatches what has been on its way for a while, unless a stream holds something at least as old. */
function unlessHeld(
  action: SweepDecision & { do: "dispatch" },
  since: Date,
  { streams, now, graceMs }: SweepView,
): SweepDecision {
  const due = new Date(since.getTime() + graceMs);
  if (due > now) return { do: "look", at: due };
  const isHeld = STREAMS.some((name) => {
    const oldest = streams.get(name)?.oldestAt;
    return oldest && oldest.getTime() <= since.getTime() + CLOCK_SKEW_MS;
  });
  return isHeld ? { do: "look", at: new Date(now.getTime() + graceMs) } : action;
}
