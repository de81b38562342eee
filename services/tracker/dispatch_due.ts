import { type Priority, TRANSACTIONAL_RECIPIENTS } from "@posthaste/contracts";
import { nextAction } from "@posthaste/delivery";
import { isOutage, redispatchesOf } from "@posthaste/messaging";
import { allEnded, allSettled, failpoint } from "@posthaste/runtime";
import type { DueMessage, SendHead, StorePart } from "@posthaste/storage";
import { count } from "@posthaste/telemetry";
import { endLost, type EndLostDeps, isLost, type LostAttempt } from "./end_lost.ts";
import type { Flow } from "./flow.ts";
import { type OpenRoutes, openRoutes, type Round } from "./open_routes.ts";
import { publishInFlight } from "./publish_in_flight.ts";

/** The dependencies of dispatching due messages. */
export type DueDeps =
  & EndLostDeps
  & StorePart<
    | "waiting.integrationsDue"
    | "waiting.dueMessages"
    | "registers.find"
    | "sends.heads"
  >
  & {
    /** Time after which an attempt of another worker is examined again, in milliseconds. */
    patienceMs: number;
  };

/** How many due messages of an integration are looked up beyond those that may go, as some cannot. */
const LOOK_AHEAD = 200;

/** Due messages of an integration, and the integrations that may make their next attempts. */
export interface DueMail {
  routes: OpenRoutes;
  messages: Due[];
}

/** A due message, and its send. */
interface Due {
  message: DueMessage;
  head: SendHead;
}

/** A message to dispatch. */
interface Routed extends Due {
  /** The integration that sends it, if that is not its own. */
  fallback?: number | undefined;
}

/** Finds due messages of an integration (`<account>/<id>`) that are not in flight, if there is capacity for any. */
export async function findDue(key: string, round: Round, deps: DueDeps): Promise<DueMail> {
  const now = deps.now();
  const { flow } = round;
  const routes = await openRoutes(key, round, deps);
  const inFlight = flow.inFlight(key) + routes.inFlightElsewhere;
  const known = inFlight + flow.returned(key).length;
  const found = await Promise.all(
    sharesOf(routes).filter(({ left }) => left > 0).map(async ({ senders, left }) => {
      const search = { now, limit: known + left + LOOK_AHEAD, senders };
      const first = await deps.waiting.dueMessages(key, search);
      if (first.length < search.limit) return first;
      // A page of messages of large sends must not hide those of small ones.
      const recipients = TRANSACTIONAL_RECIPIENTS;
      return [...first, ...await deps.waiting.dueMessages(key, { ...search, recipients })];
    }),
  );
  const due = [...new Map(found.flat().map((one) => [one._id, one])).values()]
    .filter(({ _id: messageId, attempt }) => !flow.knows({ messageId, attempt }));
  const ids = [...new Set(due.map(({ sendId }) => sendId))];
  const heads = new Map(
    (ids.length === 0 ? [] : await deps.sends.heads(ids)).map((head) => [head._id, head]),
  );
  const messages = due.flatMap((message): Due[] => {
    const head = heads.get(message.sendId);
    return head === undefined ? [] : [{ message, head }];
  });
  return { routes, messages };
}

/**
 * Dispatches those due messages that have this priority, within the capacity. The register of an attempt shows whether
 * another worker has it, or had it and was lost.
 *
 * @throws The first error, after the work on all other sends. An outage goes first.
 */
export async function dispatchDue(
  found: readonly DueMail[],
  priority: Priority,
  { flow, deps }: { flow: Flow; deps: DueDeps },
): Promise<void> {
  const due = found.flatMap(({ messages, routes }) =>
    assign(messages.filter((one) => priorityOf(one) === priority), routes)
  );
  if (due.length > 0) await dispatch(await decide(due, deps), priority, { flow, deps });
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
function assign(messages: readonly Due[], routes: OpenRoutes): Routed[] {
  return messages.flatMap((due): Routed[] => {
    const { id, left } = routes.routeFor({ ...due.message, from: due.head.from.email });
    if (left <= 0) return [];
    routes.take(id, 1);
    return [{ ...due, fallback: id === routes.id ? undefined : id }];
  });
}

/** A message that waited since its integration refused the login has waited long: it must not hold up the others. */
function priorityOf({ head, message }: Due): Priority {
  return typeof message.waitsFor === "string" ? "bulk" : head.priority;
}

/** Messages of a send by what is to be done. */
interface Decided {
  head: SendHead;
  again: Routed[];
  /** Attempts that another worker left behind. */
  lost: LostAttempt[];
  /** Attempts that another worker makes. */
  taken: DueMessage[];
}

/** Returns what is to be done with messages, for each send. */
async function decide(
  due: readonly Routed[],
  { registers: { find: findRegisters } }: DueDeps,
): Promise<Decided[]> {
  const bySend = new Map<string, Decided>();
  const registers = await findRegisters(
    due.map(({ message: { _id, attempt } }) => ({ messageId: _id, n: attempt + 1 })),
  );
  for (const routed of due) {
    const { head, message } = routed;
    const { _id, index, attempt } = message;
    const decided = bySend.get(head._id) ?? { head, again: [], lost: [], taken: [] };
    bySend.set(head._id, decided);
    const outcome = attempt === 0 ? undefined : { attempt, state: "deferred" as const };
    const found = registers.get(`${_id}/${attempt + 1}`);
    const decision = nextAction(outcome, found);
    if (isLost(decision)) decided.lost.push({ index, decision, fallback: found?.fallback });
    else if (decision.do === "dispatch") decided.again.push(routed);
    else decided.taken.push(message);
  }
  return [...bySend.values()];
}

/** @throws The first error, after the work on all other sends */
async function dispatch(
  decided: readonly Decided[],
  priority: Priority,
  { flow, deps }: { flow: Flow; deps: DueDeps },
): Promise<void> {
  // They are examined again later. Whether they are at a server, only their worker knows.
  for (const { _id: messageId, attempt } of decided.flatMap(({ taken }) => taken)) {
    flow.postpone({ messageId, attempt }, deps.patienceMs);
  }
  failpoint("tracker.before_due");
  // Mail that may be sent goes first. The work on one send must not stop that on the others.
  const dispatched = await allSettled(
    decided,
    ({ head, again }) => redispatch({ ...head, priority }, again, { flow, deps }),
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
  { flow, deps }: { flow: Flow; deps: DueDeps },
): Promise<void> {
  const events = [...Map.groupBy(again, ({ fallback }) => fallback)].flatMap(([fallback, group]) =>
    redispatchesOf(head, group.map(({ message }) => message), { integrationId: fallback })
  );
  await publishInFlight(head, events, {
    flow,
    publish: (event) => deps.publish(event, head.trace),
  });
  count("posthaste.due.dispatched", again.length);
}
