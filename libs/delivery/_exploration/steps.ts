import {
  answered,
  beginDot,
  beginVoid,
  type Certainty,
  type Ending,
  mayClose,
  mayDot,
  nextAction,
  nextAttempt,
  type Outcome,
  replied,
  requestOf,
} from "../mod.ts";
import { choicesFor, unknownOutcome } from "./choices.ts";
import { perform, storedOf, Violation } from "./model_ledger.ts";
import {
  bit,
  FALLBACK,
  IDLE,
  OWN,
  type Person,
  RESTING,
  type Scheduler,
  type State,
  type Worker,
  type WorldMessage,
} from "./state.ts";
import type { World } from "./world.ts";

/**
 * Takes one possible step. `isFair` steps are those that must occur if nothing breaks. `change` gets a copy
 * of the state.
 */
export type Emit = (label: string, isFair: boolean, change: (state: State) => void) => void;

const ATTEMPTS = [1, 2, 3];

/** States that only a person, or a late acceptance, changes. */
const CLOSED: ReadonlySet<string> = new Set(["sent", "failed", "canceled", "suppressed"]);

/** States in which a person may retry a message that waits for nothing. */
const RETRYABLE: ReadonlySet<string> = new Set(["failed", "suppressed", "unknown"]);

/** Emits every possible step in a state: of the processes, of the server, of time and of chance. */
export function steps(state: State, world: World, emit: Emit): void {
  scheduling(state, world, emit);
  working(state, world, emit);
  serving(state, world, emit);
  acting(state, world, emit);
  happening(state, world, emit);
}

function happening(state: State, world: World, emit: Emit): void {
  for (const [m, message] of state.messages.entries()) {
    for (const n of ATTEMPTS) {
      if (message.events & bit(n)) {
        emit(`the broker loses the event of ${m}/${n}`, false, (t) => {
          at(t.messages, m).events &= ~bit(n);
        });
      }
      if (message.fallbackEvents & bit(n)) {
        emit(`the broker loses the event of ${m}/${n} for the fallback`, false, (t) => {
          at(t.messages, m).fallbackEvents &= ~bit(n);
        });
      }
      ageing(state, { m, n, world }, emit);
    }
    if (message.send === "pending") {
      emit("the insert of the send lands late", true, (t) => {
        at(t.messages, m).send = "in";
      });
      emit("the insert of the send never lands", true, (t) => {
        at(t.messages, m).send = "none";
      });
    }
    if (message.time === 1) {
      emit("the new time has come", true, (t) => {
        at(t.messages, m).time = 2;
      });
    }
    if (world.losesCursor && message.cursor && message.send === "in") {
      emit("the cursor is lost", false, (t) => {
        at(t.messages, m).cursor = false;
      });
    }
    if (world.hasRetention && message.send === "in" && isOver(message)) {
      emit("retention deletes the send", false, (t) => retain(t, m));
    }
  }
}

function ageing(
  state: State,
  { m, n, world }: { m: number; n: number; world: World },
  emit: Emit,
): void {
  const found = state.messages[m]?.registers[n];
  if (!found || found.isTaken || "void" in found.register) return;
  const { owner } = found;
  if (!found.isOver) {
    if (isAtWork(state, { m, n, owner })) {
      emit(`worker ${owner}: frozen until the time of register ${m}/${n} is over`, false, (t) => {
        const message = at(t.messages, m);
        const register = message.registers[n];
        if (register) register.isOver = true;
        message.faults |= bit(n);
      });
    } else {
      emit(`the time of register ${m}/${n} is over`, true, (t) => {
        const register = at(t.messages, m).registers[n];
        if (register) register.isOver = true;
      });
    }
  }
  if (world.fault === "one-member" && owner !== -1) {
    emit(`the primary is lost: register ${m}/${n} is rolled back`, false, (t) => {
      at(t.messages, m).registers[n] = undefined;
    });
  }
}

function retain(state: State, m: number): void {
  const message = at(state.messages, m);
  Object.assign(message, { send: "gone", outcome: undefined, registers: [] });
  message.oldEvents |= message.events;
  message.events = 0;
  for (const worker of state.workers) {
    const holds = worker.phase === "ready" || worker.ending?.phase === "register";
    if (worker.message === m && holds) worker.isOld = true;
  }
  for (const scheduler of state.schedulers) {
    if (scheduler.message === m && scheduler.phase !== "idle") scheduler.isOld = true;
  }
}

/** Returns whether a register's owner lives and, unless it freezes, ends before its time is over. */
function isAtWork(
  { workers }: State,
  { m, n, owner }: { m: number; n: number; owner: number },
): boolean {
  const worker = workers[owner];
  if (worker === undefined || worker.message !== m || worker.n !== n) return false;
  return worker.phase === "wire" || worker.phase === "ending" && !isUnasked(worker);
}

/** Returns whether a worker has not requested its register yet. */
function isUnasked({ ending }: Worker): boolean {
  return ending?.phase === "register" && !ending.isAgain;
}

function isOver({ outcome }: WorldMessage): boolean {
  return outcome !== undefined && CLOSED.has(outcome.state);
}

function scheduling(state: State, world: World, emit: Emit): void {
  for (const [s, scheduler] of state.schedulers.entries()) {
    const say = (
      label: string,
      change: (me: Scheduler, message: WorldMessage) => void,
      isFair = true,
    ) =>
      emit(`scheduler ${s}: ${label}`, isFair, (t) => {
        change(at(t.schedulers, s), at(t.messages, scheduler.message));
      });
    const rest = (me: Scheduler) => void Object.assign(me, RESTING);
    const { message: m, n, time } = scheduler;
    const message = at(state.messages, m);
    if (scheduler.phase !== "idle") say("crashes", rest, false);
    switch (scheduler.phase) {
      case "idle":
        looking(state, { s, world }, emit);
        break;
      case "first":
        if (world.fault === "publish-first") {
          say("publishes before the cursor is moved", (me, x) => {
            x.events |= 1;
            x.cursor = true;
            rest(me);
          });
          break;
        }
        // It moves only if it is as it was read, and only then are the messages published.
        say("moves the cursor", (me, x) => {
          const held = !x.cursor && x.time === time && x.send === "in";
          if (held) x.cursor = true;
          if (held) Object.assign(me, { phase: "publish", n: 1 });
          else rest(me);
        });
        break;
      case "look": {
        const found = message.registers[n];
        const stored = n === 1 ? undefined : { attempt: n - 1, state: "deferred" as const };
        const next = found && !found.isTaken ? found : undefined;
        if (found?.isTaken) {
          say("finds that somebody was first", rest);
          break;
        }
        const action = nextAction(stored, next);
        switch (action.do) {
          case "dispatch":
            say(`finds no register ${n}`, (me) => void (me.phase = "publish"));
            break;
          case "complete":
            say(`finds register ${n} with its outcome`, (me) => {
              Object.assign(me, { phase: "write", outcome: action.outcome });
            });
            break;
          case "unknown": {
            const lost = { n, integration: next?.integration ?? OWN };
            if (world.fault === "next-first") {
              say("dispatches the next attempt first", (me, x) => {
                if (n < 2) x.events |= bit(n + 1);
                Object.assign(me, { phase: "write", outcome: unknownOutcome(lost, world) });
              });
              break;
            }
            say(`finds register ${n}, its time over`, (me) => {
              Object.assign(me, { phase: "write", outcome: unknownOutcome(lost, world) });
            });
            break;
          }
          default:
            say("leaves it", rest);
        }
        break;
      }
      case "publish":
        say(`publishes ${m}/${n}${toText(scheduler)}`, (me, x) => {
          if (me.isOld) x.oldEvents |= bit(n);
          else if (me.integration === FALLBACK) x.fallbackEvents |= bit(n);
          else x.events |= bit(n);
          rest(me);
        });
        break;
      case "write": {
        const { outcome } = scheduler;
        if (outcome === undefined) break;
        say(`writes ${outcome.state} as outcome ${n}`, (me, x) => {
          perform(x, { op: "writeOutcome", n, outcome }, { world, owner: -1 });
          rest(me);
        });
      }
    }
  }
}

function looking(state: State, { s, world }: { s: number; world: World }, emit: Emit): void {
  for (const [m, message] of state.messages.entries()) {
    if (message.send !== "in") continue;
    const say = (label: string, to: Partial<Scheduler>) => {
      for (const integration of choicesFor(message, world)) {
        emit(`scheduler ${s}: ${label}${toText({ integration })}`, true, (t) => {
          Object.assign(at(t.schedulers, s), { ...to, message: m, integration });
        });
      }
    };
    if (!message.cursor) {
      if (message.time !== 1) say(`sees that ${m} is due`, { phase: "first", time: message.time });
      continue;
    }
    const stored = storedOf(message);
    // A cursor proves nothing: messages that it has passed are examined again.
    if (nextAction(stored, undefined).do === "nothing") continue;
    const n = nextAttempt(stored);
    say(`reads ${m}: attempt ${n - 1} is over`, { phase: "look", n });
  }
}

function toText({ integration }: { integration: number }): string {
  return integration === FALLBACK ? ", to the fallback" : "";
}

function working(state: State, world: World, emit: Emit): void {
  for (const [w, worker] of state.workers.entries()) {
    const { message: m, n, ending } = worker;
    const say = (
      label: string,
      change: (me: Worker, message: WorldMessage) => void,
      isFair = true,
    ) =>
      emit(`worker ${w}: ${label}`, isFair, (t) => {
        change(at(t.workers, w), at(t.messages, m));
      });
    if (worker.phase !== "idle") {
      say("crashes", (me, x) => {
        if (owns(me, x, w)) x.faults |= bit(n);
        leave(me, x, w);
      }, false);
    }
    const by = `worker ${w}`;
    switch (worker.phase) {
      case "idle":
        taking(state, w, emit);
        break;
      case "ready":
        say("has no connection, hands back", (me, x) => leave(me, x, w));
        inserting(beginDot({ n, by }), { state, world, w }, emit);
        for (const before of world.before ?? []) {
          say(`${before} before the dot`, (me) => {
            const stored = before === "deferred" && n >= 2 ? "failed" : before;
            const unreached = stored === "deferred" ? { unreached: me.integration } : {};
            const outcome = { state: stored, ...unreached };
            me.ending = beginVoid({ n, by: `void of ${w}`, outcome });
            me.phase = "ending";
          });
        }
        break;
      case "wire":
        say("loses the connection after the dot", (me, x) => {
          x.faults |= bit(n);
          hear(me, { outcome: unknownOutcome(me, world), certainty: "unknown" });
        }, false);
        break;
      case "ending": {
        if (ending === undefined) break;
        if (ending.phase !== "dot") {
          inserting(ending, { state, world, w }, emit);
          break;
        }
        if (mayDot({ isValid: !worker.isOld, isLate: ending.isLate })) {
          say(`sends the dot of ${m}/${n}`, (me, x) => {
            checkDot(x, me, world);
            x.dots |= bit(n);
            if (me.integration === FALLBACK) x.fallbackDots |= bit(n);
            x.wire |= bit(n);
            Object.assign(me, { phase: "wire", isOld: false, ending: undefined });
          });
        }
        say("declines the dot", (me) => {
          me.isOld = false;
          hear(me, { outcome: { state: n < 2 ? "deferred" : "failed" }, certainty: "refused" });
        });
      }
    }
  }
}

function taking({ messages }: State, w: number, emit: Emit): void {
  for (const [m, message] of messages.entries()) {
    for (const n of ATTEMPTS) {
      for (const isOld of [false, true]) {
        if (!((isOld ? message.oldEvents : message.events) & bit(n))) continue;
        emit(`worker ${w}: takes the ${isOld ? "stale " : ""}event of ${m}/${n}`, true, (t) => {
          const taken = { phase: "ready", message: m, n, integration: OWN, isOld };
          Object.assign(at(t.workers, w), taken);
        });
      }
      if (!(message.fallbackEvents & bit(n))) continue;
      emit(`worker ${w}: takes the event of ${m}/${n} for the fallback`, true, (t) => {
        const taken = { phase: "ready", message: m, n, integration: FALLBACK, isOld: false };
        Object.assign(at(t.workers, w), taken);
      });
    }
  }
}

/** Emits the requests of a worker's ending to its ledger. Both request and answer may be lost. */
function inserting(
  ending: Ending,
  { state, world, w }: { state: State; world: World; w: number },
  emit: Emit,
): void {
  const worker = at(state.workers, w);
  const { message: m, n } = worker;
  const request = requestOf(ending);
  if (request === undefined) {
    // Only a mutated protocol requests nothing before the dot.
    emit(`worker ${w}: asks nobody`, true, (t) => {
      Object.assign(at(t.workers, w), { phase: "ending", ending });
    });
    return;
  }
  const what = `${request.op} ${"n" in request ? request.n : ""}`;
  const run = (isAnswered: boolean, isDone: boolean) => (t: State) => {
    const me = at(t.workers, w);
    const message = at(t.messages, m);
    const { integration } = me;
    const answer = isDone ? perform(message, request, { world, owner: w, integration }) : undefined;
    // By its own clock, which started before its first try.
    const isLate = message.registers[n]?.isOver ?? false;
    const next = answered(ending, isAnswered && answer ? answer : { type: "unsure" }, isLate);
    // Its own register, taken in time, may be older than what another process has found since.
    const isTaken = next.phase === "dot" && !next.isLate && (answer?.type === "inserted" || isLate);
    if (isTaken && message.outcome?.state === "sent" && message.send === "in") {
      throw new Violation(`attempt ${n} takes its register although "sent" is known`);
    }
    if (next.phase === "end") {
      end(me, message, { w, next, ending });
      return;
    }
    Object.assign(me, { phase: "ending", ending: next });
  };
  emit(`worker ${w}: ${what}`, true, run(true, true));
  const mayLose = ["register", "outcome", "complete"].includes(ending.phase);
  if (!world.losesAnswers || !mayLose) return;
  emit(`worker ${w}: ${what}, the answer is lost`, false, run(false, true));
  if (ending.phase === "register" && !ending.isAgain) {
    emit(`worker ${w}: ${what}, the request is lost`, false, run(false, false));
  }
}

function end(
  me: Worker,
  message: WorldMessage,
  { w, next, ending }: { w: number; next: Ending & { phase: "end" }; ending: Ending },
): void {
  const wasAccepted = ending.phase === "outcome" && ending.certainty === "accepted" ||
    ending.phase === "late";
  const isUnsaid = next.result !== "abandoned" && wasAccepted && message.send === "in" &&
    message.outcome?.state !== "sent";
  if (isUnsaid) throw new Violation("the server accepted, and the ledger does not say so");
  leave(me, message, w);
}

/** Returns whether a worker has the register of its attempt, or may have it. */
function owns(worker: Worker, { registers }: WorldMessage, w: number): boolean {
  return registers[worker.n] !== undefined && registers[worker.n]?.owner === w;
}

function leave(me: Worker, { registers }: WorldMessage, w: number): void {
  for (const found of registers) {
    if (found?.owner !== w) continue;
    // Its next try has another name.
    Object.assign(found, { owner: -1, register: { ...found.register, by: "nobody" } });
  }
  Object.assign(me, IDLE);
}

function hear(me: Worker, said: { outcome: Outcome; certainty: Certainty }): void {
  Object.assign(me, { phase: "ending", ending: replied({ n: me.n }, said) });
}

function serving(state: State, world: World, emit: Emit): void {
  for (const [m, message] of state.messages.entries()) {
    for (const n of ATTEMPTS) {
      if (!(message.wire & bit(n))) continue;
      const decide = (
        reply: string,
        change: (message: WorldMessage) => void,
        said: { outcome: Outcome; certainty: Certainty } | undefined,
      ) =>
        emit(`server: ${reply} for ${m}/${n}`, true, (t) => {
          const x = at(t.messages, m);
          x.wire &= ~bit(n);
          change(x);
          const listener = t.workers.find((worker) => isListening(worker, m, n));
          if (listener && said) hear(listener, said);
        });
      decide("250", (x) => void (x.accepted |= bit(n)), {
        outcome: { state: "sent" },
        certainty: "accepted",
      });
      for (const reply of world.refusals ?? ["4xx"]) {
        const state = reply === "5xx" || n >= 2 ? "failed" : "deferred";
        decide(reply, (x) => void (x.refused |= bit(n)), {
          outcome: { state },
          certainty: "refused",
        });
      }
      if (!state.workers.some((worker) => isListening(worker, m, n))) {
        decide("drops it", (x) => void (x.refused |= bit(n)), undefined);
      }
    }
  }
}

function isListening({ phase, message, n }: Worker, m: number, attempt: number): boolean {
  return phase === "wire" && message === m && n === attempt;
}

/**
 * Emits the steps of a person, or of the api when it withdraws a send: one operation, which may be
 * interrupted at any point.
 */
function acting(state: State, world: World, emit: Emit): void {
  const { person } = state;
  const { operation, fault } = world;
  const message = at(state.messages, 0);
  if (operation === undefined || person.phase === "done") return;
  const say = (label: string, change: (me: Person, message: WorldMessage) => void) =>
    emit(`${operation}: ${label}`, false, (t) => change(t.person, at(t.messages, 0)));
  const done = (me: Person) => void Object.assign(me, { phase: "done", ending: undefined });
  if (person.phase === "ending") {
    say("breaks off", done);
    ending(state, world, emit);
    return;
  }
  const stored = storedOf(message);
  const close = (n: number) => {
    const state = operation === "postpone" ? "deferred" as const : "canceled" as const;
    return (me: Person) => {
      me.phase = "ending";
      me.ending = beginVoid({ n, by: "person", outcome: { state } });
    };
  };
  switch (operation) {
    case "reschedule":
      if (message.cursor || message.time !== 0) return;
      say("moves the send to a later time", (me, x) => {
        x.time = 1;
        done(me);
      });
      return;
    case "retry":
      if (stored === undefined || !RETRYABLE.has(stored.state)) return;
      say("has it sent again", (me, x) => {
        if (x.outcome) x.outcome = { ...x.outcome, state: "deferred" };
        x.wasRetried = true;
        done(me);
      });
      return;
    case "withdraw":
      if (message.send === "in") say("finds the send there", close(1));
      else {
        say("puts a tombstone where the send would be", (me, x) => {
          if (fault !== "no-tombstone") x.send = "tomb";
          x.closedUpTo = CANCELED;
          done(me);
        });
      }
      return;
    default:
      if (message.send === "in" && mayClose(stored)) {
        say(`reads: attempt ${stored?.attempt ?? 0} is over`, close(nextAttempt(stored)));
      }
  }
}

const CANCELED = 99;

function ending({ person }: State, world: World, emit: Emit): void {
  const { ending: current } = person;
  const request = current && requestOf(current);
  if (current === undefined || request === undefined) return;
  emit(`${world.operation}: ${request.op}`, false, (t) => {
    const message = at(t.messages, 0);
    const answer = perform(message, request, { world, owner: -1 });
    const next = answered(current, answer);
    const isConfirmed = request.op === "insertRegister"
      ? next.phase === "outcome"
      : current.phase === "outcome" && answer.type === "written" && answer.isApplied;
    const n = "n" in request ? request.n : 0;
    if (isConfirmed) message.closedUpTo = world.operation === "postpone" ? n : CANCELED;
    Object.assign(t.person, { ending: next, phase: next.phase === "end" ? "done" : "ending" });
  });
}

/** Checks the invariants of every dot that is sent. */
function checkDot(
  message: WorldMessage,
  { n, integration }: Worker,
  { policy }: World,
): void {
  const { dots, fallbackDots, refused, calledUnknown, closedUpTo, wasRetried, time } = message;
  if (dots & bit(n)) throw new Violation(`attempt ${n} is ended twice`);
  for (const other of ATTEMPTS) {
    if (other === n || !(dots & bit(other)) || refused & bit(other)) continue;
    const first = Math.min(other, n);
    if (!(calledUnknown & bit(first))) {
      throw new Violation(`a second copy may come, and nothing says that ${first} is unknown`);
    }
    if (policy === "hold" && !wasRetried) {
      throw new Violation("a second dot although an unknown outcome is to be held");
    }
    const isElsewhere = (fallbackDots & bit(other)) !== 0;
    // After a person's retry, the send's own may send again what a fallback left unknown.
    if (integration === FALLBACK || isElsewhere && !wasRetried) {
      throw new Violation("another integration has the mail after an unknown outcome");
    }
  }
  const isExcused = (calledUnknown & bit(n)) !== 0;
  if (n <= closedUpTo && !isExcused) {
    throw new Violation(
      closedUpTo === CANCELED
        ? "a dot after the cancel, or the withdrawal, was confirmed"
        : "a dot of an attempt that was postponed",
    );
  }
  if (time === 1) throw new Violation("a dot before the time to which the send was moved");
}

/** Checks the invariants of every state. */
export function checkState({ messages }: State): void {
  for (const { outcome, accepted, send } of messages) {
    if (outcome === undefined || send !== "in" || accepted === 0 || outcome.unknown !== 0) continue;
    if (outcome.state !== "sent" && CLOSED.has(outcome.state)) {
      throw new Violation(`"${outcome.state}" although a copy was delivered, and nothing says so`);
    }
  }
}

/** Returns whether no message can change any more. */
export function isSettled({ messages }: State): boolean {
  return messages.every(({ send, outcome }) =>
    send !== "in" && send !== "pending" ||
    outcome !== undefined && outcome.state !== "deferred"
  );
}

function at<T>(list: T[], position: number): T {
  const found = list[position];
  if (found === undefined) throw new RangeError(`Cannot find number ${position} in the world`);
  return found;
}
