import {
  heldGuard,
  type LedgerAnswer,
  type LedgerRequest,
  type Outcome,
  outcomeGuard,
  type Register,
  type StoredOutcome,
} from "../mod.ts";
import { bit, OWN, type WorldMessage, type WorldOutcome } from "./state.ts";
import type { World } from "./world.ts";

/** An invariant that does not hold. */
export class Violation extends Error {
  override readonly name = "Violation";
}

/** Performs a request on a message, as the database would. */
export function perform(
  message: WorldMessage,
  request: LedgerRequest,
  { world, owner, integration = OWN }: { world: World; owner: number; integration?: number },
): LedgerAnswer {
  switch (request.op) {
    case "insertRegister":
      return insertRegister(message, request, {
        owner,
        integration: world.fault === "nameless-register" ? OWN : integration,
      });
    case "writeOutcome":
      return { type: "written", isApplied: writeOutcome(message, request, world) };
    case "replaceHeld": {
      const { attempt, state } = heldGuard(request.n);
      const { outcome } = message;
      if (outcome?.attempt !== attempt || outcome.state !== state) {
        return { type: "written", isApplied: false };
      }
      setOutcome(message, {
        ...outcome,
        state: request.outcome.state,
        unknown: outcome.unknown & ~bit(request.n),
      });
      return { type: "written", isApplied: true };
    }
    case "readMessage":
      return { type: "read", message: storedOf(message) };
    case "markSent": {
      const { outcome } = message;
      const isApplied = outcome?.attempt === request.attempt && outcome.state !== "sent";
      if (outcome && isApplied) {
        setOutcome(message, { ...outcome, state: "sent", sentBy: request.outcome.sentBy ?? 0 });
      }
      return { type: "written", isApplied };
    }
  }
}

/** Returns the state of a message as a reader sees it. */
export function storedOf({ outcome }: WorldMessage): StoredOutcome | undefined {
  return outcome && { attempt: outcome.attempt, state: outcome.state };
}

function insertRegister(
  { registers }: WorldMessage,
  { n, register }: { n: number; register: Register },
  by: { owner: number; integration: number },
): LedgerAnswer {
  const found = registers[n];
  if (found === undefined) {
    registers[n] = { register, ...by, isOver: false, isTaken: false };
    return { type: "inserted" };
  }
  // The owner continues to see its register as its own, however often it asks.
  return { type: "existing", register: found.register };
}

function writeOutcome(
  message: WorldMessage,
  { n, outcome }: { n: number; outcome: Outcome },
  world: World,
): boolean {
  const guard = outcomeGuard(n);
  const before = message.outcome;
  const isFree = "insert" in guard
    ? before === undefined
    : before !== undefined && before.attempt === guard.attempt && before.state !== guard.not;
  if (!isFree && world.fault !== "blind-outcome") return false;
  const { state, sentBy, unknownAttempt, unreached = 0 } = outcome;
  setOutcome(message, {
    attempt: n,
    state,
    sentBy: state === "sent" ? sentBy ?? n : 0,
    unreached,
    unknown: (before?.unknown ?? 0) | (unknownAttempt === undefined ? 0 : bit(unknownAttempt)),
  });
  if (unknownAttempt === undefined) return true;
  const isGroundless = message.send === "in" && !(message.faults & bit(unknownAttempt));
  if (isGroundless && !world.isLenient) {
    throw new Violation(`attempt ${unknownAttempt} is called unknown although nothing happened`);
  }
  message.calledUnknown |= bit(unknownAttempt);
  return true;
}

function setOutcome(message: WorldMessage, outcome: WorldOutcome): void {
  if (message.outcome?.state === "sent" && outcome.state !== "sent") {
    throw new Violation(`"sent" was overwritten with "${outcome.state}"`);
  }
  if (outcome.state === "sent" && !(message.accepted & bit(outcome.sentBy))) {
    throw new Violation(`"sent" by attempt ${outcome.sentBy}, which no server accepted`);
  }
  message.outcome = outcome;
}
