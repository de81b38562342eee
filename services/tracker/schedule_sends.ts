import { type Integration, MAX_MESSAGES_PER_EVENT, messageIdOf } from "@posthaste/contracts";
import { redispatchesOf, type StatusEvent } from "@posthaste/messaging";
import { allEnded, failpoint } from "@posthaste/runtime";
import type { StorePart, WaitingSend } from "@posthaste/storage";
import { count, type Logger } from "@posthaste/telemetry";
import { setTimeout as delay } from "node:timers/promises";
import { endExpired, MAX_EXPIRED_PER_ROUND, MESSAGES_PER_ROUND } from "./end_expired.ts";
import type { Flow } from "./flow.ts";
import { dispatchReturned, type ReturnedDeps } from "./dispatch_returned.ts";
import { FIRST_ATTEMPT, openRoutes, type Round, type Routes } from "./open_routes.ts";
import { publishInFlight } from "./publish_in_flight.ts";
import { withoutRegister } from "./without_register.ts";

/** The dependencies of scheduling sends. */
export type ScheduleDeps =
  & ReturnedDeps
  & StorePart<
    | "waiting.integrationsWaitedFor"
    | "waiting.listSends"
    | "waiting.listOld"
    | "waiting.advanceSend"
    | "waiting.startSends"
    | "circuits.list"
  >
  & {
    integrations: {
      find(accountId: string, id: number): Promise<Integration | null>;
    };
    /** Age after which the reconciler handles a dispatched message. */
    patienceMs: number;
    logger: Pick<Logger, "warn">;
  };

/** How many sends of an integration one round dispatches. */
const MAX_SENDS = 50;

/** Interval at which the sends of a stopped integration are searched for expired messages. */
const LOOK_EVERY_MS = 10_000;

/** Maximum number of integrations that one round searches: a hundred stopped ones must not cause a burst of work. */
const MAX_LOOKS = 10;

/** Number of intervals until the next search if nothing waits: status events end the pause earlier. */
const IDLE_INTERVALS = 5;

/** Time of the last search for expired messages, in milliseconds, by integration. */
export type Looks = Map<string, number>;

/** Pause between two rounds: one round then dispatches for several finished messages. */
const MIN_PAUSE_MS = 100;

/** Updates the flow from status events: attempts ended, came back, wait or were dropped, and mail was accepted. */
export function noteNews(flow: Flow, statusEvents: readonly StatusEvent[]): void {
  for (const { type, data } of statusEvents) {
    switch (type) {
      case "status.send.accepted":
        if (data.waits) flow.wake();
        break;
      case "status.message.sent":
      case "status.message.deferred":
      case "status.message.unknown":
      case "status.message.suppressed":
        flow.end({ ...data, attempt: data.attempt - 1 });
        break;
      case "status.message.returned": {
        const { accountId, integrationId, insteadOf = integrationId, stage } = data;
        const attempt = { ...data, acceptedAt: new Date(data.acceptedAt) };
        const [used, own] = [`${accountId}/${integrationId}`, `${accountId}/${insteadOf}`];
        // A printer knows nothing of the server.
        flow.keepReturned(used, attempt, { isServerBusy: stage !== "pdf", own });
        break;
      }
      case "status.message.waiting":
        flow.postpone(data, Date.parse(data.nextAt) - Date.parse(data.at));
        break;
      case "status.message.dropped":
        flow.release(data);
        break;
      case "status.message.failed":
        // A service before the mailer that fails a message names the number of earlier attempts.
        flow.end({
          ...data,
          attempt: data.stage === "mailer" ? data.attempt - 1 : data.attempt,
        });
        break;
    }
  }
}

/** Dispatches waiting messages within the capacity, until the signal aborts. */
export async function scheduleForever(
  deps: ScheduleDeps,
  { flow, intervalMs, signal }: { flow: Flow; intervalMs: number; signal: AbortSignal },
): Promise<void> {
  const looks: Looks = new Map();
  let startAgainAt = -Infinity;
  while (!signal.aborted) {
    let isWaiting = true;
    try {
      // While mail ends, a round follows every 100 ms: scheduled sends are not searched for in each.
      if (performance.now() >= startAgainAt) {
        await startScheduled(deps);
        startAgainAt = performance.now() + intervalMs;
      }
      isWaiting = await scheduleOnce(deps, flow, looks);
    } catch (error) {
      deps.logger.warn("Cannot schedule sends, retrying", { error });
      await delay(intervalMs, undefined, { signal }).catch(() => undefined);
    }
    // Finished messages free capacity immediately.
    await delay(MIN_PAUSE_MS, undefined, { signal }).catch(() => undefined);
    await flow.nextNews(isWaiting ? intervalMs : IDLE_INTERVALS * intervalMs, signal);
  }
}

/** Starts scheduled sends whose time has come. */
export async function startScheduled(
  { waiting, patienceMs, now: clock }: Pick<ScheduleDeps, "patienceMs" | "now"> & {
    waiting: Pick<ScheduleDeps["waiting"], "startSends">;
  },
): Promise<void> {
  const now = clock();
  await waiting.startSends({ now, reconcileAt: new Date(now.getTime() + patienceMs) });
}

/**
 * Dispatches messages within the capacity, by integration, and ends those that have waited too long. Returns
 * whether any waited.
 */
export async function scheduleOnce(
  deps: ScheduleDeps,
  flow: Flow,
  looks: Looks = new Map(),
): Promise<boolean> {
  const integrations = new Set([
    ...flow.integrationsReturned(),
    ...await deps.waiting.integrationsWaitedFor(),
  ]);
  for (const key of looks.keys()) if (!integrations.has(key)) looks.delete(key);
  if (integrations.size === 0) return false;
  const looked = takeLooks(integrations, looks, deps.now());
  const circuits = new Map((await deps.circuits.list()).map((circuit) => [circuit._id, circuit]));
  const round: Round = { circuits, flow, left: new Map() };
  await allEnded(
    [...integrations],
    (key) => scheduleFor(key, { ...round, isLook: looked.has(key) }, deps),
  );
  // Last, and few in each round: many integrations may have stopped together.
  let expired = 0;
  for (const key of looked) {
    const max = MAX_EXPIRED_PER_ROUND - expired;
    if (max > 0) expired += await endOld(key, { ...round, max }, deps);
    // The next round continues here.
    if (expired >= MAX_EXPIRED_PER_ROUND) looks.delete(key);
  }
  return true;
}

/**
 * Chooses the integrations that are searched in this round for sends that have waited too long: those whose last search
 * is longest ago.
 */
function takeLooks(integrations: Iterable<string>, looks: Looks, now: Date): Set<string> {
  const lastOf = (key: string) => looks.get(key) ?? 0;
  const due = [...integrations].filter((key) => now.getTime() - lastOf(key) >= LOOK_EVERY_MS);
  const taken = due.toSorted((a, b) => lastOf(a) - lastOf(b)).slice(0, MAX_LOOKS);
  for (const key of taken) looks.set(key, now.getTime());
  return new Set(taken);
}

async function scheduleFor(
  key: string,
  { isLook, ...round }: Round & {
    /** Whether it is searched for mail that has waited too long. */
    isLook: boolean;
  },
  deps: ScheduleDeps,
): Promise<void> {
  const { circuits, flow } = round;
  // So a hundred silent servers cause no work.
  if (flow.inFlight(key) >= flow.windowOf(key) && !isLook && !flow.isFailedOver(key)) return;
  const routes = await openRoutes(key, round, deps);
  flow.failOver(key, routes.isFailedOver);
  const circuit = circuits.get(key);
  await dispatchReturned(key, { circuit, flow, routes }, deps);
  const parts = await takeParts(key, { flow, routes }, deps);
  // Together: one command moves all cursors.
  await allEnded(parts, ({ send, taken, id }) => dispatchPart(send, { taken, id, flow }, deps));
}

/**
 * Ends messages that nobody takes now and that have waited for the maximum time: `max`, and the rest of the last part.
 * Returns their number.
 */
async function endOld(
  key: string,
  { max, ...round }: Round & { max: number },
  deps: ScheduleDeps,
): Promise<number> {
  const { integration, isStopped, routeFor } = await openRoutes(key, round, deps);
  if (integration === null || !isStopped) return 0;
  const before = new Date(deps.now().getTime() - integration.retryForMs);
  const found = await deps.waiting.listOld(key, { before, limit: max });
  const old = found.filter((send) =>
    routeFor({ ...FIRST_ATTEMPT, from: send.from.email }).isStopped
  );
  let count = 0;
  const taken = old.filter((send) => {
    if (count >= max) return false;
    count += Math.min(MESSAGES_PER_ROUND, send.messageCount - send.next);
    return true;
  });
  const circuit = round.circuits.get(key);
  await allEnded(taken, (send) => endExpired(send, { integration, circuit }, deps));
  return count;
}

/** Messages of a send, and the integration that is to send them. */
interface Part {
  send: WaitingSend;
  taken: number;
  id: number;
}

/** Chooses the waiting messages that are dispatched now. */
async function takeParts(
  key: string,
  { flow, routes }: { flow: Flow; routes: Routes },
  deps: ScheduleDeps,
): Promise<Part[]> {
  const [accountId = ""] = key.split("/");
  const except = flow.postponedSends(accountId);
  // One search for each integration that takes mail: otherwise a page of mail for one hides that for another.
  const shares = routes.elsewhere() ?? [
    { senders: undefined, left: routes.routeFor(FIRST_ATTEMPT).left },
  ];
  const found = await allEnded(
    shares.filter(({ left }) => left > 0),
    ({ senders, left }) =>
      // Each send has at least one message.
      deps.waiting.listSends(key, { limit: Math.min(MAX_SENDS, left), senders, except }),
  );
  const parts: Part[] = [];
  for (const send of found.flat()) {
    const { id, left } = routes.routeFor({ ...FIRST_ATTEMPT, from: send.from.email });
    // A send of another sender may go elsewhere.
    if (left <= 0) continue;
    const taken = Math.min(send.messageCount - send.next, left);
    routes.take(id, taken);
    parts.push({ send, taken, id });
  }
  return parts;
}

async function dispatchPart(
  send: WaitingSend,
  { taken, id, flow }: { taken: number; id: number; flow: Flow },
  deps: ScheduleDeps,
): Promise<void> {
  const { _id, next, trace, integrationId } = send;
  const attempts = Array.from({ length: taken }, (_, position) => {
    const index = next + position;
    return { index, messageId: messageIdOf(_id, index), attempt: 0 };
  });
  const open = await withoutRegister(attempts, { flow, ...deps });
  const to = next + taken;
  const reconcileAt = new Date(deps.now().getTime() + deps.patienceMs);
  failpoint("tracker.before_advance");
  // The cursor first: the reconciler finds what is lost after it.
  if (!await deps.waiting.advanceSend(send, to, { reconcileAt })) return;
  failpoint("tracker.after_advance");
  const events = redispatchesOf(send, open, {
    perEvent: MAX_MESSAGES_PER_EVENT,
    integrationId: id === integrationId ? undefined : id,
  });
  await publishInFlight(send, events, { flow, publish: (event) => deps.publish(event, trace) });
  failpoint("tracker.part_dispatched");
  count("posthaste.schedule.dispatched", open.length);
}
