import type { Outcome, Register, StoredOutcome } from "./ledger.ts";

/** A register as a scheduler finds it. */
export interface FoundRegister<O extends Outcome = Outcome> {
  register: Register<O>;
  /** Whether the time for the server's reply is over, by the database's clock. */
  isOver: boolean;
  /** When it was inserted, by the database's clock. */
  at?: Date;
}

/** A scheduler's action on a message. */
export type NextAction<O extends Outcome = Outcome> =
  /** Attempt `n` may be dispatched, repeatedly. */
  | { do: "dispatch"; n: number }
  /** The register of attempt `n` contains its outcome, which its owner may not have written. */
  | { do: "complete"; n: number; outcome: O }
  /** The owner of attempt `n` was lost after the dot: its outcome is unknown. */
  | { do: "unknown"; n: number; at?: Date | undefined }
  /** It is being sent. */
  | { do: "wait" }
  /** It has ended, or is held for a person. */
  | { do: "nothing" };

/**
 * Decides about a message. The message is read first, then the register of the attempt after its last
 * outcome.
 *
 * @param message The last outcome; `undefined` if there is none.
 * @param next The register of the next attempt; `undefined` if there is none.
 */
export function nextAction<O extends Outcome>(
  message: StoredOutcome | undefined,
  next: FoundRegister<O> | undefined,
): NextAction<O> {
  if (!isWanted(message)) return { do: "nothing" };
  const n = nextAttempt(message);
  if (next === undefined) return { do: "dispatch", n };
  const { register, isOver, at } = next;
  if ("void" in register) return { do: "complete", n, outcome: register.void };
  return isOver ? { do: "unknown", n, ...(at ? { at } : {}) } : { do: "wait" };
}

/** Returns the number of the attempt that is open, or would be the next one. */
export function nextAttempt(message: StoredOutcome | undefined): number {
  return (message?.attempt ?? 0) + 1;
}

/** Returns whether another attempt is due. */
export function isWanted(message: StoredOutcome | undefined): boolean {
  return message === undefined || message.state === "deferred";
}

/** Returns whether a person may cancel a message. */
export function mayClose(message: StoredOutcome | undefined): boolean {
  return message === undefined || message.state === "deferred" || message.state === "unknown";
}
