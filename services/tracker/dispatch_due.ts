import type { Priority } from "@posthaste/contracts";
import { nextAction } from "@posthaste/delivery";
import { isOutage, redispatchesOf } from "@posthaste/messaging";
import { allEnded, allSettled, failpoint } from "@posthaste/runtime";
import type { DueMessage, SendHead, StorePart } from "@posthaste/storage";
import { count } from "@posthaste/telemetry";
import { endLost, type EndLostDeps, isLost, type LostAttempt } from "./end_lost.ts";
import type { Flow } from "./flow.ts";
import { openRound, type OpenRoutes, openRoutes, type Round } from "./open_routes.ts";
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
    /** Time after which an attempt of another worker is examined again, in milliseconds. */
    patienceMs: number;
  };

/**
 * Dispatches due messages that are not in flight, within the capacity. The register of an attempt shows
 * whether another worker has it, or had it and was lost. Returns whether any message is due.
 *
 * @throws The first error, after the work on all other integrations and sends.
 */
export async function dispatchDue(deps: DueDeps, flow: Flow): Promise<boolean> {
  const integrations = await deps.waiting.integrationsDue(deps.now());
  if (integrations.length === 0) return false;
  const round = openRound(await deps.circuits.list(), flow);
  const { results, errors } = await allSettled(integrations, (key) => dueOf(key, round, deps));
  const due = results.flat();
  if (due.length > 0) await dispatch(await decide(due, deps), flow, deps);
  if (errors.length > 0) throw errors[0];
  return true;
}

/** How many due messages of an integration are looked up beyond those that may go: some of them cannot. */
const LOOK_AHEAD = 200;

/** A message to dispatch. */
interface Routed extends DueMessage {
  /** `_id` of its own integration. */
  own: string;
  /** The integration that sends it, if that is not its own. */
  fallback?: number | undefined;
}

/** Returns the messages of an integration that are due and may be dispatched now. */
async function dueOf(key: string, round: Round, deps: DueDeps): Promise<Routed[]> {
  const now = deps.now();
  const { flow } = round;
  const routes = await openRoutes(key, round, deps);
  const inFlight = flow.inFlight(key) + routes.inFlightElsewhere;
  const known = inFlight + flow.returned(key).length;
  const found = await Promise.all(
    sharesOf(routes).filter(({ left }) => left > 0).map(({ senders, left }) =>
      deps.waiting.dueMessages(key, { now, limit: known + left + LOOK_AHEAD, senders })
    ),
  );
  const due = [...new Map(found.flat().map((one) => [one._id, one])).values()]
    .filter(({ _id: messageId, attempt }) => !flow.knows({ messageId, attempt }));
  return await assign(due, { key, routes }, deps);
}

/**
 * Returns what to search for. While others send the mail of an integration, that is one search for each of them:
 * otherwise a page of mail for one hides that for another.
 */
function sharesOf({ elsewhere, mostLeft }: OpenRoutes) {
  const left = mostLeft();
  const shares = elsewhere();
  return shares === undefined
    ? [{ senders: undefined, left }]
    : [...shares, ...(shares.length === 0 ? [] : [{ senders: null, left }])];
}

/** Returns those messages of an integration that some integration takes now. */
async function assign(
  messages: readonly DueMessage[],
  { key, routes }: { key: string; routes: OpenRoutes },
  deps: DueDeps,
): Promise<Routed[]> {
  // Without fallbacks it does not matter who the sender is.
  const heads = routes.integration?.fallbacks.length
    ? await deps.sends.heads([...new Set(messages.map(({ sendId }) => sendId))])
    : [];
  const senders = new Map(heads.map(({ _id, from }) => [_id, from.email]));
  return messages.flatMap((message): Routed[] => {
    const { id, left } = routes.routeFor({ ...message, from: senders.get(message.sendId) ?? "" });
    if (left <= 0) return [];
    routes.take(id, 1);
    return [{ ...message, own: key, fallback: id === routes.id ? undefined : id }];
  });
}

/** A message that waited since its integration refused the login has waited long: it must not hold up the others. */
function priorityOf({ priority }: SendHead, { waitsFor }: DueMessage): Priority {
  return typeof waitsFor === "string" ? "bulk" : priority;
}

/** Messages of a send by what is to be done. */
interface Decided {
  again: Routed[];
  /** Attempts that another worker left behind. */
  lost: LostAttempt[];
  /** Attempts that another worker makes. */
  taken: Routed[];
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
    const decided = bySend.get(sendId) ?? { again: [], lost: [], taken: [] };
    bySend.set(sendId, decided);
    const outcome = attempt === 0 ? undefined : { attempt, state: "deferred" as const };
    const found = registers.get(`${_id}/${attempt + 1}`);
    const decision = nextAction(outcome, found);
    const fallback = found?.fallback;
    if (isLost(decision)) decided.lost.push({ index, decision, fallback });
    else if (decision.do === "dispatch") decided.again.push(message);
    else decided.taken.push(message);
  }
  return bySend;
}

/** @throws The first error, after the work on all other sends. */
async function dispatch(
  bySend: ReadonlyMap<string, Decided>,
  flow: Flow,
  deps: DueDeps,
): Promise<void> {
  // They are examined again later. Whether they are at a server, only their worker knows.
  for (const { taken } of bySend.values()) {
    for (const { _id: messageId, attempt } of taken) {
      flow.postpone({ messageId, attempt }, deps.patienceMs);
    }
  }
  const heads = await deps.sends.heads([...bySend.keys()]);
  failpoint("tracker.before_due");
  const decided = heads.flatMap((head) => {
    const found = bySend.get(head._id);
    return found === undefined ? [] : [{ head, ...found }];
  });
  // Mail that may be sent goes first. The work on one send must not stop that on the others.
  const dispatched = await allSettled(
    decided,
    ({ head, again }) => redispatch(head, again, flow, deps),
  );
  const outage = dispatched.errors.find(isOutage);
  if (outage !== undefined) throw outage;
  await allEnded(decided, ({ head, lost }) => endLost(head, lost, deps));
  failpoint("tracker.after_due");
  if (dispatched.errors.length > 0) throw dispatched.errors[0];
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
