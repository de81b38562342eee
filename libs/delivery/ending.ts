import type { Outcome, Register } from "./ledger.ts";
import type { DeliveryLedger, LedgerAnswer, LedgerRequest } from "./request.ts";

/** The certainty of an attempt's outcome. */
export type Certainty =
  /** The server took the mail. */
  | "accepted"
  /** The server refused it, or never had all of it. */
  | "refused"
  /** It is unknown whether the server took it. */
  | "unknown";

/** The state of a process that ends attempt `n` of a message. */
export type Ending<O extends Outcome = Outcome> =
  /** The register must be inserted. `isAgain`: an earlier insert was not answered. */
  | { phase: "register"; n: number; register: Register<O>; isAgain: boolean }
  /** This process owns the register. The dot may be sent, if time and event allow it. */
  | { phase: "dot"; n: number; isLate: boolean }
  /** The outcome must be written. */
  | { phase: "outcome"; n: number; outcome: O; certainty: Certainty }
  /** Certainly refused, but another process has recorded an unknown outcome. */
  | { phase: "held"; n: number; outcome: O }
  /** Certainly accepted, but another process has written another outcome: the next attempt must be closed. */
  | { phase: "late"; n: number; outcome: O }
  | { phase: "late_register"; n: number; outcome: O; next: number }
  | { phase: "late_complete"; n: number; outcome: O; next: number; complete: O }
  | { phase: "late_mark"; n: number; outcome: O; known: number }
  /** Another process has ended the attempt without a dot, and may be lost: its outcome must be written. */
  | { phase: "complete"; n: number; outcome: O }
  /** Done. `abandoned`: another process makes the attempt, or has ended it, and nothing may be sent. */
  | { phase: "end"; result: "written" | "superseded" | "late" | "abandoned" }
  /** Done. The outcome of another process is written. */
  | { phase: "end"; result: "completed"; outcome: O };

const ABANDONED = { phase: "end", result: "abandoned" } as const;

/** Begins an attempt that ends with the final dot. */
export function beginDot<O extends Outcome>({ n, by }: { n: number; by: string }): Ending<O> {
  return { phase: "register", n, register: { by, dot: true }, isAgain: false };
}

/**
 * Begins to end an attempt without a dot: it failed before, was canceled, or its recipient is suppressed.
 */
export function beginVoid<O extends Outcome>(
  { n, by, outcome }: { n: number; by: string; outcome: O },
): Ending<O> {
  return { phase: "register", n, register: { by, void: outcome }, isAgain: false };
}

/** Begins to write the outcome of an attempt whose register exists. */
export function beginOutcome<O extends Outcome>(
  { n, outcome }: { n: number; outcome: O },
): Ending<O> {
  return { phase: "outcome", n, outcome, certainty: "unknown" };
}

/** Continues after the dot, or instead of it, with the outcome of the attempt. */
export function replied<O extends Outcome>(
  { n }: { n: number },
  { outcome, certainty }: { outcome: O; certainty: Certainty },
): Ending<O> {
  return { phase: "outcome", n, outcome, certainty };
}

/**
 * Returns whether the owner of a register may send the final dot.
 *
 * @param isValid Whether the event was still valid, by the database's clock, when the register was inserted.
 * Registers of a message that retention has removed prove nothing.
 * @param isLate Whether its deadline, by its own clock, is over.
 */
export function mayDot({ isValid, isLate }: { isValid: boolean; isLate: boolean }): boolean {
  return isValid && !isLate;
}

/** Returns the next request to the ledger; `undefined` if there is none. */
export function requestOf<O extends Outcome>(ending: Ending<O>): LedgerRequest<O> | undefined {
  switch (ending.phase) {
    case "register":
      return { op: "insertRegister", n: ending.n, register: ending.register };
    case "outcome":
      return { op: "writeOutcome", n: ending.n, outcome: ending.outcome };
    case "held":
      return { op: "replaceHeld", n: ending.n, outcome: ending.outcome };
    case "late":
      return { op: "readMessage" };
    case "late_register":
      return {
        op: "insertRegister",
        n: ending.next,
        register: { by: `sent by ${ending.n}`, void: lateOutcome(ending) },
      };
    case "complete":
      return { op: "writeOutcome", n: ending.n, outcome: ending.outcome };
    case "late_complete":
      return { op: "writeOutcome", n: ending.next, outcome: ending.complete };
    case "late_mark":
      return { op: "markSent", attempt: ending.known, outcome: lateOutcome(ending) };
    case "dot":
    case "end":
      return undefined;
  }
}

/** Returns the outcome that closes a later attempt because the server took attempt `n`. */
function lateOutcome<O extends Outcome>({ n, outcome }: { n: number; outcome: O }): O {
  return { ...outcome, sentBy: n };
}

/**
 * Returns the state after an answer.
 *
 * @param isLate Whether the process's own deadline is over, counted from before the first insert.
 */
export function answered<O extends Outcome>(
  ending: Ending<O>,
  answer: LedgerAnswer<O>,
  isLate = false,
): Ending<O> {
  if (answer.type === "unsure") {
    return ending.phase === "register" ? { ...ending, isAgain: true } : ending;
  }
  switch (ending.phase) {
    case "register":
      return afterRegister(ending, answer, isLate);
    case "outcome":
      return answer.type === "written" && answer.isApplied ? written() : superseded(ending);
    case "complete":
      return answer.type === "written" && answer.isApplied
        ? { phase: "end", result: "completed", outcome: ending.outcome }
        : ABANDONED;
    case "held":
      // Whoever wrote the unknown outcome reports it. The timeline has both, in their order.
      return { phase: "end", result: "superseded" };
    case "late":
      return afterRead(ending, answer);
    case "late_register":
      return afterLateRegister(ending, answer);
    case "late_complete":
    case "late_mark":
      return { phase: "late", n: ending.n, outcome: ending.outcome };
    case "dot":
    case "end":
      return ending;
  }
}

function written<O extends Outcome>(): Ending<O> {
  return { phase: "end", result: "written" };
}

function afterRegister<O extends Outcome>(
  ending: Ending<O> & { phase: "register" },
  answer: LedgerAnswer<O>,
  isLate: boolean,
): Ending<O> {
  const { n, register } = ending;
  if (answer.type === "existing" && answer.register.by !== register.by) {
    return "void" in answer.register
      ? { phase: "complete", n, outcome: answer.register.void }
      : ABANDONED;
  }
  // Its own register may be over: only its first, answered insert proves that time is left.
  const isOver = answer.type === "existing" && isLate;
  if ("void" in register) {
    return { phase: "outcome", n, outcome: register.void, certainty: "unknown" };
  }
  return { phase: "dot", n, isLate: isOver };
}

/** Continues after another process has written an outcome of this attempt. */
function superseded<O extends Outcome>(ending: Ending<O> & { phase: "outcome" }): Ending<O> {
  const { n, outcome, certainty } = ending;
  if (certainty === "accepted") return { phase: "late", n, outcome };
  if (certainty === "refused") return { phase: "held", n, outcome };
  return { phase: "end", result: "superseded" };
}

function afterRead<O extends Outcome>(
  { n, outcome }: { n: number; outcome: O },
  answer: LedgerAnswer<O>,
): Ending<O> {
  const message = answer.type === "read" ? answer.message : undefined;
  if (message === undefined || message.state === "sent") return { phase: "end", result: "late" };
  return { phase: "late_register", n, outcome, next: message.attempt + 1 };
}

function afterLateRegister<O extends Outcome>(
  ending: Ending<O> & { phase: "late_register" },
  answer: LedgerAnswer<O>,
): Ending<O> {
  const { n, outcome, next } = ending;
  if (answer.type === "existing" && "dot" in answer.register) {
    return { phase: "late_mark", n, outcome, known: next - 1 };
  }
  const complete = answer.type === "existing" && "void" in answer.register
    ? answer.register.void
    : lateOutcome({ n, outcome });
  return { phase: "late_complete", n, outcome, next, complete };
}

/** Options of {@linkcode advance}. */
export interface AdvanceOptions<O extends Outcome = Outcome> {
  /** Returns whether the process's own deadline is over. @default {() => false} */
  isLate?(): boolean;
  /**
   * Runs before a request is repeated whose answer was lost. It may throw to end that.
   *
   * @default Throws what `unsure` was caused by: the next round, or another process, finishes the work.
   */
  beforeRepeat?(cause: unknown): Promise<void> | void;
  /**
   * Returns whether to write an outcome with which another process has ended the attempt, if it has only begun that.
   * Whoever writes it has to report it.
   *
   * @default {() => false} The reconciler does it.
   */
  completes?(outcome: O): boolean;
}

/**
 * Performs requests until no request to the ledger is left: before the dot, or at the end.
 *
 * @throws What `beforeRepeat` throws.
 */
export async function advance<O extends Outcome>(
  ending: Ending<O>,
  ledger: DeliveryLedger<O>,
  { isLate = () => false, beforeRepeat = giveUp, completes = () => false }: AdvanceOptions<O> = {},
): Promise<Ending<O>> {
  let current = ending;
  for (;;) {
    if (current.phase === "complete" && !completes(current.outcome)) return ABANDONED;
    const request = requestOf(current);
    if (request === undefined) return current;
    const answer = await ledger.perform(request);
    if (answer.type === "unsure") await beforeRepeat(answer.cause);
    current = answered(current, answer, isLate());
  }
}

function giveUp(cause: unknown): never {
  throw cause ?? new UnansweredError("The ledger has not answered for certain");
}

/** It is unknown what the ledger has. It counts as an outage. */
class UnansweredError extends Error {
  override readonly name = "UnansweredError";
  readonly errorType = "unavailable";
}
