/** States of a message that are stored with its outcome. */
export type OutcomeState = "sent" | "deferred" | "failed" | "canceled" | "suppressed" | "unknown";

/** The outcome of an attempt, or what ends it without a dot. */
export interface Outcome {
  state: OutcomeState;
  /** The attempt that the server accepted, if it is not the attempt of this outcome. */
  sentBy?: number;
  /** The attempt with an unknown outcome: the server may have the mail. */
  unknownAttempt?: number;
  /** While `deferred`: the integration that could not be reached, or refused its login. */
  unreached?: number;
}

/**
 * A write-once register: the right to end attempt `n` of a message. With `dot`, only its owner may send the
 * final dot. With `void`, the attempt is over, and any process may write that outcome.
 */
export type Register<O extends Outcome = Outcome> =
  & {
    /** Random for each try. By it, an owner whose answer was lost recognises its own register. */
    by: string;
  }
  & ({ dot: true } | { void: O });

/** The facts about a stored message that the protocol needs; `undefined` for one without an outcome. */
export interface StoredOutcome {
  /** The last attempt that has an outcome. */
  attempt: number;
  state: OutcomeState;
}

/**
 * The condition for writing the outcome of an attempt: as an insert, or as an update of a document that has
 * this `attempt` and is not in the state `not`.
 */
export type OutcomeGuard = { insert: true } | { attempt: number; not: OutcomeState };

/** Returns the condition for writing the outcome of attempt `n`. */
export function outcomeGuard(n: number): OutcomeGuard {
  return n === 1 ? { insert: true } : { attempt: n - 1, not: "sent" };
}

/** Returns the condition for replacing the unknown outcome of attempt `n`, which is held. */
export function heldGuard(n: number): { attempt: number; state: OutcomeState } {
  return { attempt: n, state: "unknown" };
}
