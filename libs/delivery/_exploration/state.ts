import type { Certainty, Ending, Outcome, OutcomeState, Register } from "../mod.ts";
import type { World } from "./world.ts";

/** The integration of the send. */
export const OWN = 1;

/** The integration that may send in its place. */
export const FALLBACK = 2;

/** A register, with the world's knowledge about it. */
export interface WorldRegister {
  register: Register;
  /** The living worker that owns it; -1 if there is none. */
  owner: number;
  /** The integration that it names. */
  integration: number;
  /** Whether the time for the reply is over. */
  isOver: boolean;
  /** Its outcome is known, so its own value no longer matters. */
  isTaken: boolean;
}

/** The outcome of a message. */
export interface WorldOutcome {
  attempt: number;
  state: OutcomeState;
  /** The attempt that was accepted; 0 if none is known. */
  sentBy: number;
  /** Attempts whose outcome was recorded as unknown, as bits. */
  unknown: number;
  /** The integration that the last attempt did not reach; 0 if there is none. */
  unreached: number;
}

/** A message: its stored and published state, and its history, which only the invariants use. */
export interface WorldMessage {
  send: "none" | "pending" | "in" | "tomb" | "gone";
  /** Whether the cursor has passed it. */
  cursor: boolean;
  /** 0 due, 1 postponed by a person, 2 due again. */
  time: 0 | 1 | 2;
  /**
   * Attempts with an event at the broker, those with one for the fallback, and those whose event is past its
   * validity, as bits.
   */
  events: number;
  fallbackEvents: number;
  oldEvents: number;
  registers: (WorldRegister | undefined)[];
  outcome: WorldOutcome | undefined;
  /** Dots that the server has not decided about, as bits. */
  wire: number;
  dots: number;
  /** Those of the dots that the fallback sent. */
  fallbackDots: number;
  refused: number;
  accepted: number;
  calledUnknown: number;
  /** Attempts with a fault that may leave their outcome unknown. */
  faults: number;
  /** Attempts up to this one were postponed; 99: canceled; 0: nothing was confirmed. */
  closedUpTo: number;
  wasRetried: boolean;
}

/** The state of a worker. */
export interface Worker {
  phase: "idle" | "ready" | "ending" | "wire";
  message: number;
  n: number;
  /** The integration by which it sends. */
  integration: number;
  /** Its event is past its validity. */
  isOld: boolean;
  ending: Ending | undefined;
}

/** The state of a scheduler; its data may be stale. */
export interface Scheduler {
  phase: "idle" | "first" | "look" | "publish" | "write" | "unknown_later";
  message: number;
  n: number;
  time: number;
  /** The integration that it has chosen. */
  integration: number;
  isOld: boolean;
  outcome: Outcome | undefined;
}

/** The state of a person. */
export interface Person {
  phase: "idle" | "ending" | "done";
  ending: Ending | undefined;
}

/** One state of a world. */
export interface State {
  messages: WorldMessage[];
  workers: Worker[];
  schedulers: Scheduler[];
  person: Person;
}

/** A worker without work. */
export const IDLE: Worker = {
  ...{ phase: "idle", message: 0, n: 0, integration: OWN, isOld: false },
  ending: undefined,
};

/** A scheduler between two passes. */
export const RESTING: Scheduler = {
  ...{ phase: "idle", message: 0, n: 0, time: 0, integration: OWN, isOld: false },
  outcome: undefined,
};

/** Returns the bit of an attempt. */
export function bit(n: number): number {
  return 1 << (n - 1);
}

/** Returns the first state of a world. */
export function firstState(world: World): State {
  const { isPending = false, isScheduled = false, messages = 1, workers = 2 } = world;
  return {
    messages: Array.from({ length: messages }, (): WorldMessage => ({
      send: isPending ? "pending" : "in",
      cursor: !isScheduled,
      time: 0,
      events: isScheduled || isPending ? 0 : 1,
      fallbackEvents: 0,
      oldEvents: 0,
      registers: [],
      outcome: undefined,
      ...{ wire: 0, dots: 0, fallbackDots: 0, refused: 0, accepted: 0, faults: 0 },
      calledUnknown: 0,
      closedUpTo: 0,
      wasRetried: false,
    })),
    workers: Array.from({ length: workers }, () => ({ ...IDLE })),
    schedulers: Array.from({ length: world.schedulers ?? 1 }, () => ({ ...RESTING })),
    person: { phase: world.operation ? "idle" : "done", ending: undefined },
  };
}

/** Returns a copy that may be changed. Values of the protocol are never changed in place. */
export function copyOf(state: State): State {
  return {
    messages: state.messages.map((message) => ({
      ...message,
      registers: message.registers.map((register) => register && { ...register }),
      outcome: message.outcome && { ...message.outcome },
    })),
    workers: state.workers.map((worker) => ({ ...worker })),
    schedulers: state.schedulers.map((scheduler) => ({ ...scheduler })),
    person: { ...state.person },
  };
}

/**
 * Returns a text that is equal for two states that differ only in the names of processes. Each number and each
 * name is one character of it: an exploration spends most of its time on these texts.
 */
export function keyOf(state: State): string {
  forget(state);
  const { messages, workers, schedulers, person } = state;
  const [first = "", second] = workers.map(workerText);
  let registers = registersText(messages, SAME);
  let own = second === undefined ? first : first + second;
  if (second !== undefined && second <= first) {
    const swapped = registersText(messages, SWAPPED);
    if (second < first || swapped < registers) registers = swapped;
    own = second + first;
  }
  return [
    own,
    registers,
    chars(CODES[person.phase]),
    endingText(person.ending),
    ...schedulers.map(schedulerText).sort(),
    ...messages.map(messageText),
  ].join("");
}

/** Erases requests whose answers are final, so that states that only differ in them are equal. */
function forget({ messages, workers }: State): void {
  for (const [position, message] of messages.entries()) {
    const known = message.outcome?.attempt ?? 0;
    message.faults &= ~((1 << known) - 1);
    for (let n = 1; n <= known; n++) {
      const register = message.registers[n];
      const isAsked = workers.some((worker) =>
        worker.ending?.phase === "register" && worker.message === position && worker.n === n
      );
      if (register && !isAsked) register.isTaken = true;
    }
  }
}

/** The names of two workers, by their positions after -1 for no worker. */
const SAME = [1, 2, 3];
const SWAPPED = [1, 3, 2];

const { fromCharCode: chars } = String;

/** What is missing, and the end of a list. */
const NOTHING = "\0";
const END = "\x01";

/** The characters of names; those that may be in one place differ. */
const CODES: Readonly<Record<Name, number>> = {
  // Processes.
  ...{ idle: 2, ready: 3, ending: 4, wire: 5, done: 6 },
  ...{ first: 7, look: 8, publish: 9, write: 10, unknown_later: 11 },
  // Messages.
  ...{ none: 2, pending: 3, in: 4, tomb: 5, gone: 6 },
  // Outcomes.
  ...{ sent: 2, deferred: 3, failed: 4, canceled: 5, suppressed: 6, unknown: 7 },
  ...{ accepted: 8, refused: 9 },
  // Registers and endings.
  ...{ taken: 2, void: 3, dot: 4, register: 5, outcome: 6, complete: 7, held: 8 },
  ...{ late: 9, late_register: 10, late_complete: 11, late_mark: 12, end: 13 },
};

type Name =
  | (Worker | Scheduler | Person | Ending)["phase"]
  | WorldMessage["send"]
  | OutcomeState
  | Certainty
  | "taken"
  | "void";

function registersText(messages: readonly WorldMessage[], names: readonly number[]): string {
  let text = "";
  for (const { registers } of messages) {
    for (const register of registers) {
      text += register === undefined ? NOTHING : registerText(register, names);
    }
    text += END;
  }
  return text;
}

function messageText(m: WorldMessage): string {
  const { outcome } = m;
  const own = outcome === undefined ? NOTHING : chars(
    CODES[outcome.state],
    outcome.attempt,
    outcome.sentBy,
    outcome.unknown,
    outcome.unreached,
  );
  return own + chars(
    CODES[m.send],
    Number(m.cursor),
    m.time,
    Number(m.wasRetried),
    m.events,
    m.fallbackEvents,
    m.oldEvents,
    m.wire,
    m.dots,
    m.fallbackDots,
    m.refused,
    m.accepted,
    m.calledUnknown,
    m.faults,
    m.closedUpTo,
  );
}

function workerText({ phase, message, n, integration, isOld, ending }: Worker): string {
  if (phase === "idle") return NOTHING;
  return chars(CODES[phase], message, n, integration, Number(isOld)) + endingText(ending);
}

function registerText(
  { register, owner, integration, isOver, isTaken }: WorldRegister,
  names: readonly number[],
): string {
  if (isTaken) return chars(CODES.taken);
  if ("void" in register) return chars(CODES.void) + outcomeText(register.void);
  return chars(CODES.dot, names[owner + 1] ?? 0, integration, Number(isOver));
}

function endingText(ending: Ending | undefined): string {
  if (ending === undefined) return NOTHING;
  const { phase } = ending;
  const code = CODES[phase];
  switch (phase) {
    case "register": {
      const own = "void" in ending.register ? outcomeText(ending.register.void) : NOTHING;
      return chars(code, ending.n, Number(ending.isAgain)) + own;
    }
    case "dot":
      return chars(code, ending.n, Number(ending.isLate));
    case "outcome":
      return chars(code, ending.n, CODES[ending.certainty]) + outcomeText(ending.outcome);
    case "complete":
    case "held":
    case "late":
      return chars(code, ending.n) + outcomeText(ending.outcome);
    case "late_register":
      return chars(code, ending.n, ending.next);
    case "late_complete":
      return chars(code, ending.n, ending.next) + outcomeText(ending.complete);
    case "late_mark":
      return chars(code, ending.n, ending.known);
    case "end":
      return chars(code);
  }
}

function outcomeText({ state, sentBy = 0, unknownAttempt = 0, unreached = 0 }: Outcome): string {
  return chars(CODES[state], sentBy, unknownAttempt, unreached);
}

function schedulerText(scheduler: Scheduler): string {
  const { phase, message, n, time, integration, isOld, outcome } = scheduler;
  if (phase === "idle") return NOTHING;
  const own = outcome ? outcomeText(outcome) : NOTHING;
  return chars(CODES[phase], message, n, time, integration, Number(isOld)) + own;
}
