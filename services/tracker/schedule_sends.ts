import {
  MAX_MESSAGES_PER_EVENT,
  messageIdOf,
  type Priority,
  priorityOf,
} from "@posthaste/contracts";
import { circuitState } from "@posthaste/limits";
import { redispatchesOf } from "@posthaste/messaging";
import { allEnded, failpoint } from "@posthaste/runtime";
import { inTurn, type StorePart, type WaitingSend } from "@posthaste/storage";
import { count } from "@posthaste/telemetry";
import type { Flow } from "./flow.ts";
import type { ReturnedDeps } from "./dispatch_returned.ts";
import { openRoutes, type Round, type RouteDeps } from "./open_routes.ts";
import { publishInFlight } from "./publish_in_flight.ts";
import { FIRST_ATTEMPT, type Routes } from "./routes.ts";
import { withoutRegister } from "./without_register.ts";

/** The dependencies of scheduling sends. */
export type ScheduleDeps =
  & ReturnedDeps
  & RouteDeps
  & StorePart<
    | "waiting.integrationsWaitedFor"
    | "waiting.listSends"
    | "waiting.advanceSend"
    | "waiting.startSends"
    | "circuits.list"
  >
  & {
    /** Age after which the reconciler handles a dispatched message. */
    patienceMs: number;
  };

/** How many sends one round dispatches, of each integration or share of its mail. */
const MAX_SENDS = 50;

/** Starts scheduled sends whose time has come. */
export async function startScheduled(
  { waiting, patienceMs, now: clock }: ScheduleDeps,
): Promise<void> {
  const now = clock();
  await waiting.startSends({ now, reconcileAt: new Date(now.getTime() + patienceMs) });
}

/** An integration that may be given mail now, and the sends that wait for it. */
export interface OpenIntegration {
  key: string;
  routes: Routes;
  sends: WaitingSend[];
}

/** A send that waits for an integration, and what may be done with it. */
interface Found {
  send: WaitingSend;
  routes: Routes;
}

/**
 * Finds the sends that wait for an integration (`<account>/<id>`) and may be dispatched now; nothing if its window is
 * full.
 */
export async function findSends(
  key: string,
  round: Round,
  deps: ScheduleDeps,
): Promise<OpenIntegration[]> {
  const { flow, circuits } = round;
  // A full window needs no look-up unless others may send the mail: a hundred silent servers cause no work.
  const isAway = circuitState(circuits.get(key), deps.now()) !== "closed";
  if (flow.inFlight(key) >= flow.windowOf(key) && !isAway) return [];
  const routes = await openRoutes(key, round, deps);
  const [accountId = ""] = key.split("/");
  const except = flow.postponedSends(accountId);
  // One search for each integration that takes mail: otherwise a page of mail for one hides that for another.
  const shares = routes.elsewhere() ?? [
    { senders: undefined, left: routes.ownLeft() },
  ];
  const found = await allEnded(
    shares.filter(({ left }) => left > 0),
    ({ senders, left }) =>
      // Each send has at least one message.
      deps.waiting.listSends(key, { limit: Math.min(MAX_SENDS, left), senders, except }),
  );
  return [{ key, routes, sends: found.flat() }];
}

/**
 * Dispatches waiting sends of this priority, within the capacity.
 *
 * @throws The first error, after the work on all other sends.
 */
export async function dispatchSends(
  found: readonly OpenIntegration[],
  priority: Priority,
  { flow, deps }: { flow: Flow; deps: ScheduleDeps },
): Promise<void> {
  const wanted = found.flatMap(({ sends, routes }) =>
    sends.filter((send) => send.priority === priority).map((send) => ({ send, routes }))
  );
  // Together: one command moves all cursors.
  await allEnded(takeParts(wanted), (part) => dispatchPart(part, flow, deps));
}

/** Messages of a send, and the integration that is to send them. */
interface Part {
  send: WaitingSend;
  taken: number;
  id: number;
}

/** Chooses the messages that are dispatched now: the oldest of all integrations, as several may share a fallback. */
function takeParts(found: readonly Found[]): Part[] {
  const ordered = found.toSorted(({ send: one }, { send: other }) => inTurn(one, other));
  return ordered.flatMap(({ send, routes }): Part[] => {
    const { id, left } = routes.routeFor({ ...FIRST_ATTEMPT, from: send.from.email });
    // A send of another sender may go elsewhere.
    if (left <= 0) return [];
    const taken = Math.min(send.messageCount - send.next, left);
    routes.take(id, taken);
    return [{ send, taken, id }];
  });
}

async function dispatchPart(
  { send, taken, id }: Part,
  flow: Flow,
  deps: ScheduleDeps,
): Promise<void> {
  const { _id, next, trace, integrationId } = send;
  const attempts = Array.from({ length: taken }, (_, position) => {
    const index = next + position;
    return { index, messageId: messageIdOf(_id, index), attempt: 0 };
  });
  // Of a send that waits again, some may be under way.
  const left = attempts.filter((attempt) => !flow.knows(attempt));
  const open = await withoutRegister(left, { flow, ...deps });
  const to = next + taken;
  const reconcileAt = new Date(deps.now().getTime() + deps.patienceMs);
  failpoint("tracker.before_advance");
  // The cursor first: the reconciler finds what is lost after it.
  if (!await deps.waiting.advanceSend(send, to, { reconcileAt })) return;
  failpoint("tracker.after_advance");
  const events = redispatchesOf(send, open, {
    perEvent: MAX_MESSAGES_PER_EVENT,
    // Some may be under way if it has waited again: the api dispatched them, and the flow does not know them.
    redelivered: send.messageCount > 1 && priorityOf(send.messageCount) === "transactional",
    integrationId: id === integrationId ? undefined : id,
  });
  await publishInFlight(send, events, { flow, publish: (event) => deps.publish(event, trace) });
  failpoint("tracker.part_dispatched");
  count("posthaste.schedule.dispatched", open.length);
}
