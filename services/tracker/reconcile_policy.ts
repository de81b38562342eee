import { type NextAction, nextAction } from "@posthaste/delivery";
import type { AttemptOutcome, UnfinishedMessage } from "@posthaste/storage";

/** Action for an unfinished message, or the time of its next examination. */
export type ReconcileDecision =
  | NextAction<AttemptOutcome> & { do: "dispatch" | "complete" | "unknown" }
  | { do: "look"; at: Date };

/** Input of a decision. */
export interface ReconcileView {
  now: Date;
  /**
   * Returns whether the attempt waits for capacity, or was dispatched so recently that its status event may
   * still arrive.
   */
  isKnown(attempt: { index: number; attempt: number }): boolean;
  /** A small send passes all stages within this time. */
  graceMs: number;
}

/** Time before a dispatched message is redispatched, in milliseconds. */
export function patienceMs(graceMs: number): number {
  return 3 * graceMs;
}

/** Maximum time between two examinations of a send that was started. */
const MAX_LOOK_MS = 3_600_000;

/**
 * Returns the time until the next examination of a send, in milliseconds. It grows with the age of the send:
 * work that no worker does for hours is redispatched a few times, not every minute. Before its start there is
 * nothing to examine. After it, the time is rounded down to a power of two of `graceMs`, so that one command serves
 * sends of about the same age.
 *
 * @param ageMs Time since its start; below 0 it is scheduled.
 */
export function lookAgainMs(ageMs: number, graceMs: number): number {
  if (ageMs < 0) return patienceMs(graceMs) - ageMs;
  const ms = Math.min(MAX_LOOK_MS, Math.max(patienceMs(graceMs), ageMs / 2));
  return 2 ** Math.floor(Math.log2(ms / graceMs)) * graceMs;
}

/** Time for which the ledger is left to other work after an outage, in milliseconds. */
export function recoveryMs(graceMs: number): number {
  return graceMs / 2;
}

/**
 * Decides about one unfinished message, regardless of the queues: a message without news for that long is
 * redispatched. If it was not lost, its register decides.
 */
export function decideReconciliation(
  message: UnfinishedMessage,
  view: ReconcileView,
): ReconcileDecision {
  const { now, graceMs, isKnown } = view;
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
      // Waits for a person's decision.
      return look(MAX_LOOK_MS);
    case "dispatch":
      // `dispatchDue()` dispatches messages with a time.
      if (nextAt) return look(Math.max(0, nextAt.getTime() - now.getTime()) + patienceMs(graceMs));
      if (isKnown({ index, attempt: action.n - 1 })) return look(graceMs);
      return enteredAt.getTime() + graceMs > now.getTime()
        ? { do: "look", at: new Date(enteredAt.getTime() + graceMs) }
        : action;
  }
}

/** Maximum number of intervals until the next search if nothing is due. */
const IDLE_INTERVALS = 5;

/**
 * Returns how long to pause when nothing is due, in milliseconds: until the next send is due for examination,
 * from one interval to five.
 */
export function idlePauseMs(
  next: Date | undefined,
  { now, intervalMs }: { now: Date; intervalMs: number },
): number {
  const untilMs = next === undefined ? Infinity : next.getTime() - now.getTime();
  return Math.min(Math.max(untilMs, intervalMs), IDLE_INTERVALS * intervalMs);
}
