import type { Priority } from "@posthaste/contracts";
import { nextAction } from "@posthaste/delivery";
import { isOutage, type Outgoing, redispatchesOf } from "@posthaste/messaging";
import { allEnded, failpoint, repeat } from "@posthaste/runtime";
import type { DueMessage, SendHead, StorePart } from "@posthaste/storage";
import { count, type Logger } from "@posthaste/telemetry";
import { failExpired, MAX_EXPIRED_PER_ROUND } from "./end_expired.ts";
import { endLost, type EndLostDeps, isLost, type LostAttempt } from "./end_lost.ts";
import type { Flow } from "./flow.ts";
import { openRoutes, type Round, type Routes } from "./open_routes.ts";
import { publishInFlight } from "./publish_in_flight.ts";

/** The dependencies of dispatching due messages. */
export type DueDeps =
  & EndLostDeps
  & StorePart<
    | "waiting.integrationsDue"
    | "waiting.dueMessages"
    | "registers.find"
    | "circuits.list"
    | "sends.heads"
  >
  & {
    publish(outgoing: Outgoing, trace: string | undefined): Promise<void>;
    now(): Date;
    logger: Pick<Logger, "warn">;
  };

/** Number of intervals until the next search if nothing is due. */
const IDLE_INTERVALS = 3;

/**
 * Dispatches messages whose next attempt is due, until the signal aborts. One tracker does it for all. Two
 * would be safe, but every second dispatch would be wasted.
 */
export async function dispatchDueForever(
  deps: DueDeps,
  { flow, intervalMs, signal }: { flow: Flow; intervalMs: number; signal: AbortSignal },
): Promise<void> {
  await repeat(async () => await dispatchDue(deps, flow) !== undefined, {
    everyMs: intervalMs,
    idleMs: IDLE_INTERVALS * intervalMs,
    failure: "Cannot dispatch what is due, retrying",
    logger: deps.logger,
    signal,
  });
}

/**
 * Dispatches due messages that are not in flight, within the capacity. The register of an attempt shows
 * whether another worker has it, or had it and was lost. Returns the number of messages that it examined;
 * `undefined` if nothing is due.
 */
export async function dispatchDue(deps: DueDeps, flow: Flow): Promise<number | undefined> {
  const integrations = await deps.waiting.integrationsDue(deps.now());
  if (integrations.length === 0) return undefined;
  const circuits = new Map((await deps.circuits.list()).map((circuit) => [circuit._id, circuit]));
  const round: Round = { circuits, flow, left: new Map() };
  const found = await Promise.all(integrations.map((key) => dueOf(key, round, deps)));
  // Many integrations may have stopped together: their mail must not hold up that of the others.
  const { late = [], others = [] } = Object.groupBy(
    found.flat(),
    ({ isTooLate }) => isTooLate ? "late" : "others",
  );
  const all = [...others, ...late.slice(0, MAX_EXPIRED_PER_ROUND)];
  if (all.length === 0) return 0;
  await dispatch(await decide(all, deps), round, deps);
  return all.length;
}

/** How many due messages of an integration are looked up beyond those that it may take: some cannot go, or fail. */
const LOOK_AHEAD = 200;

/** A message to dispatch, or to fail. */
interface Routed extends DueMessage {
  /** `_id` of its own integration. */
  own: string;
  /** The integration that sends it, if that is not its own. */
  fallback?: number;
  isTooLate: boolean;
}

/** Returns the messages of an integration that are due and may be dispatched now, or can wait no longer. */
async function dueOf(
  key: string,
  round: Round,
  deps: DueDeps,
): Promise<Routed[]> {
  const now = deps.now();
  const { flow } = round;
  const routes = await openRoutes(key, round, deps);
  const { inFlightElsewhere } = routes;
  const [inFlight, window] = [flow.inFlight(key) + inFlightElsewhere, flow.windowOf(key)];
  const limit = inFlight + flow.returned(key).length + window + LOOK_AHEAD;
  const found = await deps.waiting.dueMessages(key, { now, limit });
  // One search for each integration that takes mail: otherwise a page of mail for one hides that for another.
  const shares = found.length < limit ? [] : routes.elsewhere() ?? [];
  const movable = await Promise.all(
    shares.map(({ senders }) => deps.waiting.dueMessages(key, { now, limit, senders })),
  );
  const due = [...new Map([...found, ...movable.flat()].map((one) => [one._id, one])).values()]
    .filter(({ _id: messageId, attempt }) => !flow.holds({ messageId, attempt }));
  return await route(due, { key, routes }, deps);
}

/**
 * Returns those of some messages of an integration that some integration may take now, and the expired ones whose
 * integration is stopped. While it only has no room, an expired message waits for its last attempt.
 */
async function route(
  messages: readonly DueMessage[],
  { key, routes }: { key: string; routes: Routes },
  deps: DueDeps,
): Promise<Routed[]> {
  // Without fallbacks it does not matter who the sender is.
  const heads = routes.integration?.fallbacks.length
    ? await deps.sends.heads([...new Set(messages.map(({ sendId }) => sendId))])
    : [];
  const senders = new Map(heads.map(({ _id, from }) => [_id, from.email]));
  return messages.flatMap((message): Routed[] => {
    const assigned = routes.assign({ ...message, from: senders.get(message.sendId) ?? "" });
    if (assigned === undefined) return [];
    const { id, isTooLate } = assigned;
    return [{ ...message, own: key, isTooLate, ...(id === routes.id ? {} : { fallback: id }) }];
  });
}

/** A message that waited for its integration has waited long: it must not hold up the others. */
function priorityOf({ priority }: SendHead, { waitsFor }: DueMessage): Priority {
  return typeof waitsFor === "string" ? "bulk" : priority;
}

/** Messages of a send by what is to be done. */
interface Decided {
  again: Routed[];
  tooLate: Routed[];
  /** Attempts that another worker left behind. */
  lost: LostAttempt[];
  /** Attempts that another worker makes. */
  elsewhere: Routed[];
}

/** Returns what is to be done with messages, by the id of their send. */
async function decide(
  due: readonly Routed[],
  { registers: { find: findRegisters } }: DueDeps,
): Promise<ReadonlyMap<string, Decided>> {
  const bySend = new Map<string, Decided>();
  const registers = await findRegisters(
    due.map(({ _id, attempt }) => ({ messageId: _id, n: attempt + 1 })),
  );
  for (const message of due) {
    const { _id, sendId, index, attempt } = message;
    const decided = bySend.get(sendId) ?? { again: [], tooLate: [], lost: [], elsewhere: [] };
    bySend.set(sendId, decided);
    const outcome = attempt === 0 ? undefined : { attempt, state: "deferred" as const };
    const found = registers.get(`${_id}/${attempt + 1}`);
    const decision = nextAction(outcome, found);
    if (isLost(decision)) {
      decided.lost.push({ index, decision, fallback: found?.fallback });
    } else if (decision.do !== "dispatch") decided.elsewhere.push(message);
    else if (message.isTooLate) decided.tooLate.push(message);
    else decided.again.push(message);
  }
  return bySend;
}

/** @throws The first error, after the work on all other sends. */
async function dispatch(
  bySend: ReadonlyMap<string, Decided>,
  { circuits, flow }: Round,
  deps: DueDeps,
): Promise<void> {
  // They are examined again when no news of them has come.
  for (const { elsewhere } of bySend.values()) {
    for (const { integration, attempt } of elsewhere.map(inFlightOf)) {
      flow.begin(integration, attempt);
    }
  }
  const heads = await deps.sends.heads([...bySend.keys()]);
  failpoint("tracker.before_due");
  const decided = heads.flatMap((head) => {
    const found = bySend.get(head._id);
    return found === undefined ? [] : [{ head, ...found }];
  });
  const errors: unknown[] = [];
  // Mail that may be sent goes first. The work on one send must not stop that on the others.
  for (
    const step of [
      () => allEnded(decided, ({ head, again }) => redispatch(head, again, flow, deps)),
      () => allEnded(decided, ({ head, lost }) => endLost(head, lost, deps)),
      () => allEnded(decided, ({ head, tooLate }) => failLate(head, tooLate, circuits, deps)),
    ]
  ) {
    try {
      await step();
    } catch (error) {
      if (isOutage(error)) throw error;
      errors.push(error);
    }
  }
  failpoint("tracker.after_due");
  if (errors.length > 0) throw errors[0];
}

async function redispatch(
  head: SendHead,
  again: readonly Routed[],
  flow: Flow,
  deps: DueDeps,
): Promise<void> {
  const groups = Map.groupBy(again, (one) => `${priorityOf(head, one)} ${one.fallback ?? ""}`);
  const events = [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const priority = priorityOf(head, first);
    return redispatchesOf({ ...head, priority }, group, { integrationId: first.fallback });
  });
  await publishInFlight(head, events, {
    flow,
    publish: (event) => deps.publish(event, head.trace),
  });
  count("posthaste.due.dispatched", again.length);
}

/** Returns a message as the flow knows it. */
function inFlightOf({ _id: messageId, attempt, accountId, own, fallback }: Routed) {
  const integration = fallback === undefined ? own : `${accountId}/${fallback}`;
  return { integration, attempt: { messageId, attempt } };
}

async function failLate(
  head: SendHead,
  late: readonly Routed[],
  circuits: Round["circuits"],
  deps: DueDeps,
): Promise<void> {
  if (late.length === 0) return;
  const { accountId, integrationId } = head;
  const integration = await deps.integrations.find(accountId, integrationId);
  if (integration === null) return;
  const circuit = circuits.get(`${accountId}/${integrationId}`);
  await failExpired(head, late, { integration, circuit }, deps);
}
