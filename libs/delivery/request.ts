import type { Outcome, Register, StoredOutcome } from "./ledger.ts";

/** One atomic operation on the ledger. */
export type LedgerRequest<O extends Outcome = Outcome> =
  | { op: "insertRegister"; n: number; register: Register<O> }
  /** Under the `outcomeGuard` of `n`. */
  | { op: "writeOutcome"; n: number; outcome: O }
  /** Under the `heldGuard` of `n`. */
  | { op: "replaceHeld"; n: number; outcome: O }
  | { op: "readMessage" }
  /** If the last outcome is that of `attempt` and not `sent`: an earlier attempt was accepted. */
  | { op: "markSent"; attempt: number; outcome: O };

/** The ledger's answer to the insert of a register. */
export type RegisterAnswer<O extends Outcome = Outcome> =
  | { type: "inserted" }
  /** Another insert was first, as a majority knows it. It may be an earlier try of the same process. */
  | { type: "existing"; register: Register<O> };

/** The ledger's answer; `unsure` if the answer was lost and the result is unknown, with the error that shows it. */
export type LedgerAnswer<O extends Outcome = Outcome> =
  | { type: "unsure"; cause?: unknown }
  | RegisterAnswer<O>
  /** `isApplied`: the ledger has it now. */
  | { type: "written"; isApplied: boolean }
  | { type: "read"; message: StoredOutcome | undefined };

/** Performs requests for one message. */
export interface DeliveryLedger<O extends Outcome = Outcome> {
  /** Performs a request. Never throws: a lost answer is `unsure`. */
  perform(request: LedgerRequest<O>): Promise<LedgerAnswer<O>>;
}
