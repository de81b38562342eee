/** States of a message that are stored with its outcome. */
export type OutcomeState = "sent" | "deferred" | "failed" | "canceled" | "unknown";

/** What an attempt came to, or what ends it without a dot. */
export interface Outcome {
  state: OutcomeState;
  /** The attempt that the server accepted, where it is not the attempt that this is the outcome of. */
  sentBy?: number;
  /** The attempt whose outcome nobody knows: the server may have the mail. */
  unknownAttempt?: number;
}

/**
 * A write-once register: the right to end attempt `n` of a message. With `dot` its owner alone may send
 * the final dot; with `void` the attempt is over, and anybody may write that outcome.
 */
export type Register<O extends Outcome = Outcome> =
  & {
    /** Random, of one try: tells an owner whose answer was lost that the register is its own. */
    by: string;
  }
  & ({ dot: true } | { void: O });

/** What the protocol must know of a stored message; `undefined` stands for one without an outcome. */
export interface StoredOutcome {
  /** The last attempt that has an outcome. */
  attempt: number;
  state: OutcomeState;
}

/**
 * Under which condition the outcome of an attempt may be written: as an insert, or as an update of a
 * document that is as `attempt` says and not in the state `not`.
 */
export type OutcomeGuard = { insert: true } | { attempt: number; not: OutcomeState };

/** Returns the condition under which the outcome of attempt `n` may be written. */
export function outcomeGuard(n: number): OutcomeGuard {
  return n === 1 ? { insert: true } : { attempt: n - 1, not: "sent" };
}

/** Returns the condition under which the unknown outcome of attempt `n`, which is held, is replaced. */
export function heldGuard(n: number): { attempt: number; state: OutcomeState } {
  return { attempt: n, state: "unknown" };
}
