import { type NextAction, nextAction } from "@posthaste/delivery";
import type { AttemptOutcome, UnfinishedMessage } from "@posthaste/storage";

/** What to do about an unfinished message, or when to look at it once more. */
export type ReconcileDecision =
  | NextAction<AttemptOutcome> & { do: "dispatch" | "complete" | "unknown" }
  | { do: "look"; at: Date };

/** What a decision is made by. */
export interface ReconcileView {
  now: Date;
  /** Returns whether the attempt waits for capacity, or was dispatched so lately that news of it may still come. */
  isHeld(attempt: { index: number; attempt: number }): boolean;
  /** A small send passes all stages within this time. */
  graceMs: number;
}

/** What was dispatched is given this long before it is dispatched again, in milliseconds. */
export function patienceMs(graceMs: number): number {
  return 3 * graceMs;
}

/** The longest time between two looks at a send. */
const MAX_LOOK_MS = 3_600_000;

/**
 * Returns when to look at a send again, in milliseconds from now: the older it is, the later. So what
 * nobody works on for hours is dispatched a few times, and not every minute.
 */
export function lookAgainMs(ageMs: number, graceMs: number): number {
  return Math.min(MAX_LOOK_MS, Math.max(patienceMs(graceMs), ageMs / 2));
}

/** After the ledger was away it is left to others for so long, in milliseconds. */
export function recoveryMs(graceMs: number): number {
  return graceMs / 2;
}

const DAY_MS = 24 * 3_600_000;

/**
 * Decides about one unfinished message. Whatever stands in the queues: what has brought no news for so long
 * is dispatched again. If it was not lost, its register decides.
 */
export function decideReconciliation(
  message: UnfinishedMessage,
  view: ReconcileView,
): ReconcileDecision {
  const { now, graceMs, isHeld } = view;
  const { index, outcome, register, nextAt, enteredAt } = message;
  const action = nextAction(outcome, register);
  const look = (ms: number): ReconcileDecision => ({
    do: "look",
    at: new Date(now.getTime() + ms),
  });
  switch (action.do) {
    case "complete":
    case "unknown":
      return action;
    case "wait":
      return look(patienceMs(graceMs));
    case "nothing":
      // Held for a person to decide.
      return look(DAY_MS);
    case "dispatch":
      // What has a time is dispatched when that has come, by a search of its own.
      if (nextAt) return look(Math.max(0, nextAt.getTime() - now.getTime()) + patienceMs(graceMs));
      if (isHeld({ index, attempt: action.n - 1 })) return look(graceMs);
      return enteredAt.getTime() + graceMs > now.getTime()
        ? { do: "look", at: new Date(enteredAt.getTime() + graceMs) }
        : action;
  }
}

/** Where nothing is due, no more than this many intervals pass until the next look. */
const IDLE_INTERVALS = 5;

/**
 * Returns how long to pause when nothing is due, in milliseconds: until the next send is to be looked at,
 * from one interval to five.
 */
export function idlePauseMs(
  next: Date | undefined,
  { now, intervalMs }: { now: Date; intervalMs: number },
): number {
  const untilMs = next === undefined ? Infinity : next.getTime() - now.getTime();
  return Math.min(Math.max(untilMs, intervalMs), IDLE_INTERVALS * intervalMs);
}
