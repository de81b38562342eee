import {
  type Integration,
  MAX_MESSAGES_PER_EVENT,
  messageIdOf,
  startOf,
} from "@posthaste/contracts";
import { type Outgoing, redispatchesOf, type StatusEvent } from "@posthaste/messaging";
import { allEnded, failpoint } from "@posthaste/runtime";
import type { IntegrationCircuit, SendHead, StorePart, WaitingSend } from "@posthaste/storage";
import { count, type Logger } from "@posthaste/telemetry";
import { setTimeout as delay } from "node:timers/promises";
import { endExpired, type ExpiryDeps, failExpired } from "./end_expired.ts";
import { type Flow, type FlowNews, publishInFlight, type Returned } from "./flow.ts";
import { chooseWithin, isExpired } from "./capacity.ts";
import { openRoutes, type Routes } from "./open_routes.ts";

/** The dependencies of scheduling sends. */
export type ScheduleDeps =
  & ExpiryDeps
  & StorePart<
    | "waiting.integrationsWaitedFor"
    | "waiting.listSends"
    | "waiting.advanceSend"
    | "waiting.startSends"
    | "circuits.list"
    | "sends.heads"
    | "registers.find"
  >
  & {
    integrations: {
      find(accountId: string, id: number): Promise<Integration | null>;
    };
    publish(outgoing: Outgoing, trace: string | undefined): Promise<void>;
    /** Age after which the reconciler handles a dispatched message. */
    patienceMs: number;
    now(): Date;
    logger: Pick<Logger, "warn">;
  };

const SENDS_PER_LOOK = 50;

/** Interval at which sends without capacity are searched for expired messages. */
const LOOK_EVERY_MS = 10_000;

/**
 * Maximum number of integrations without capacity that one round searches: a hundred full windows must not
 * cause a burst of work.
 */
const MAX_LOOKS = 10;

/** Number of intervals until the next search if nothing waits: status events end the pause earlier. */
const IDLE_INTERVALS = 5;

/** Time of the last search of the sends of an integration without capacity, in milliseconds, by integration. */
export type Looks = Map<string, number>;

/** Pause between two rounds: one round then dispatches for several finished messages. */
const MIN_PAUSE_MS = 100;

/** Records the attempts in flight that status events report. */
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
    let waiting: number | undefined = 0;
    try {
      // While mail ends, a round follows every 100 ms: scheduled sends are not searched for in each.
      if (performance.now() >= startAgainAt) {
        await startScheduled(deps);
        startAgainAt = performance.now() + intervalMs;
      }
      waiting = await scheduleOnce(deps, flow, looks);
    } catch (error) {
      deps.logger.warn("Cannot schedule sends, retrying", { error });
      await delay(intervalMs, undefined, { signal }).catch(() => undefined);
    }
    // Finished messages free capacity immediately.
    await delay(MIN_PAUSE_MS, undefined, { signal }).catch(() => undefined);
    await flow.nextNews(waiting === undefined ? IDLE_INTERVALS * intervalMs : intervalMs);
  }
}

/** Starts scheduled sends whose time has come. Returns their number. */
export async function startScheduled(
  { waiting, patienceMs, now: clock }: Pick<ScheduleDeps, "patienceMs" | "now"> & {
    waiting: Pick<ScheduleDeps["waiting"], "startSends">;
  },
): Promise<number> {
  const now = clock();
  return await waiting.startSends({ now, reconcileAt: new Date(now.getTime() + patienceMs) });
}

/**
 * Dispatches messages within the capacity, by integration, and ends those that have waited too long. Returns
 * the number of dispatched messages; `undefined` if nothing waits.
 */
export async function scheduleOnce(
  deps: ScheduleDeps,
  flow: Flow,
  looks: Looks = new Map(),
): Promise<number | undefined> {
  const integrations = new Set([
    ...flow.integrationsReturned(),
    ...await deps.waiting.integrationsWaitedFor(),
  ]);
  for (const key of looks.keys()) if (!integrations.has(key)) looks.delete(key);
  if (integrations.size === 0) return undefined;
  const looked = takeLooks(integrations, looks, deps.now());
  const circuits = new Map((await deps.circuits.list()).map((circuit) => [circuit._id, circuit]));
  const dispatched = await allEnded(
    [...integrations],
    (key) => scheduleFor(key, { circuits, isLook: looked.has(key), flow }, deps),
  );
  return dispatched.reduce((sum, taken) => sum + taken, 0);
}

/**
 * Chooses the integrations whose sends are examined in this round, with capacity or without: those that were not
 * examined for longest.
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
  { circuits, isLook, flow }: {
    circuits: ReadonlyMap<string, IntegrationCircuit>;
    /** Whether its sends are examined although there is no capacity. */
    isLook: boolean;
    flow: Flow;
  },
  deps: ScheduleDeps,
): Promise<number> {
  const now = deps.now();
  // So a hundred silent servers cause no work.
  if (flow.inFlight(key) >= flow.windowOf(key) && !isLook && !flow.isFailedOver(key)) return 0;
  const routes = await openRoutes(key, { circuits, flow }, deps);
  const { integration, isFailedOver } = routes;
  flow.failOver(key, isFailedOver);
  const circuit = circuits.get(key);
  const again = await dispatchReturned(key, { circuit, flow, routes }, deps);
  const { left } = routes.routeFor(FIRST);
  const isOpen = left > 0 || isFailedOver;
  const sends = isOpen || isLook ? await deps.waiting.listSends(key, SENDS_PER_LOOK) : [];
  const parts: { send: WaitingSend; taken: number; id: number }[] = [];
  for (const send of sends) {
    if (integration !== null && isExpired({ acceptedAt: startOf(send) }, { integration, now })) {
      await endExpired(send, { integration, circuit }, deps);
      continue;
    }
    const { id, left } = routes.routeFor({ ...FIRST, from: send.from.email });
    if (left <= 0) {
      // A send of another sender may go elsewhere.
      if (isFailedOver) continue;
      break;
    }
    const taken = Math.min(send.messageCount - send.next, left);
    routes.take(id, taken);
    parts.push({ send, taken, id });
  }
  // Together: one command moves all cursors.
  const dispatched = await allEnded(
    parts,
    ({ send, taken, id }) => dispatchPart(send, { taken, id, flow }, deps),
  );
  return dispatched.reduce((sum, taken) => sum + taken, again);
}

/** A first attempt: nothing is known of it. */
const FIRST = { from: "", unknownAttempts: [], unreached: null };

/** How many attempts that came back are looked up beyond the capacity: some may have been canceled. */
const LOOK_AHEAD = 50;

/**
 * Dispatches attempts that came back, within the capacity. Such an attempt has waited and may come back again:
 * with bulk priority it holds up nothing else. Fails those that have waited for the maximum time while their integration
 * is stopped. Returns the number of dispatched ones.
 */
async function dispatchReturned(
  key: string,
  { circuit, flow, routes }: {
    circuit: IntegrationCircuit | undefined;
    flow: Flow;
    routes: Routes;
  },
  deps: ScheduleDeps,
): Promise<number> {
  const { id: own, integration, isFailedOver, isStopped } = routes;
  const { left } = routes.routeFor(FIRST);
  // Among several integrations, the sender of each decides.
  const capacity = isFailedOver ? Infinity : left > 0 ? left + LOOK_AHEAD : 0;
  const { fresh, expired } = chooseWithin(flow.returned(key), {
    ...{ integration, capacity, now: deps.now() },
  });
  const found = capacity > 0 || isStopped ? [...expired, ...fresh] : [];
  // Of a later attempt the ledger knows whether another integration may make it.
  const [later, first] = partition(found, ({ attempt }) => isFailedOver && attempt > 0);
  for (const attempt of later) flow.release(attempt);
  const ids = new Set(first.map(({ sendId }) => sendId));
  if (ids.size === 0) return 0;
  const open = isFailedOver ? first : await withoutRegister(first, { flow, ...deps });
  const heads = new Map((await deps.sends.heads([...ids])).map((head) => [head._id, head]));
  const isExpired = new Set(expired);
  const [late, waiting] = partition(
    open.flatMap((attempt) => {
      const from = heads.get(attempt.sendId)?.from.email ?? "";
      const { id, left } = routes.routeFor({ ...FIRST, from });
      const isLate = isExpired.has(attempt) && id === own && isStopped;
      if (!isLate && left <= 0) return [];
      if (!isLate) routes.take(id, 1);
      return [{ attempt, id, isLate }];
    }),
    ({ isLate }) => isLate,
  );
  for (const [id, ofSend] of Map.groupBy(late, ({ attempt }) => attempt.sendId)) {
    const head = heads.get(id);
    const attempts = ofSend.map(({ attempt }) => attempt);
    if (head && integration) await failExpired(head, attempts, { integration, circuit }, deps);
    for (const attempt of attempts) flow.release(attempt);
  }
  const unmade = isFailedOver
    ? new Set(await withoutRegister(waiting.map(({ attempt }) => attempt), { flow, ...deps }))
    : undefined;
  const chosen = unmade ? waiting.filter(({ attempt }) => unmade.has(attempt)) : waiting;
  await publishReturned(chosen, { key, own, heads, flow }, deps);
  return chosen.length;
}

/** Dispatches attempts that came back. If that fails, they wait as before. */
async function publishReturned(
  chosen: readonly { attempt: Returned; id: number }[],
  { key, own, heads, flow }: {
    key: string;
    own: number;
    heads: ReadonlyMap<string, SendHead>;
    flow: Flow;
  },
  deps: ScheduleDeps,
): Promise<void> {
  const [accountId] = key.split("/");
  for (const { attempt, id } of chosen) flow.begin(`${accountId}/${id}`, attempt);
  const bySend = Map.groupBy(chosen, ({ attempt, id }) => `${attempt.sendId} ${id}`);
  try {
    await Promise.all([...bySend.values()].flatMap((part) => {
      const [first] = part;
      const head = first && heads.get(first.attempt.sendId);
      if (first === undefined || head === undefined) return [];
      const events = redispatchesOf(
        { ...head, priority: "bulk" },
        part.map(({ attempt }) => attempt),
        { redelivered: true, integrationId: first.id === own ? undefined : first.id },
      );
      return events.map((event) => deps.publish(event, head.trace));
    }));
  } catch (error) {
    for (const { attempt, id } of chosen) {
      flow.keepReturned(`${accountId}/${id}`, attempt, { isServerBusy: false, own: key });
    }
    throw error;
  }
  count("posthaste.schedule.dispatched", chosen.length);
}

/**
 * Returns the attempts that no process has begun or ended. The flow forgets the others: the ledger knows them. A
 * message that was canceled while it waited takes no work and no place of the window.
 */
async function withoutRegister<T extends FlowNews>(
  attempts: readonly T[],
  { flow, registers: { find } }:
    & { flow: Pick<Flow, "release" | "wake"> }
    & StorePart<"registers.find">,
): Promise<T[]> {
  if (attempts.length === 0) return [];
  const registers = await find(
    attempts.map(({ messageId, attempt }) => ({ messageId, n: attempt + 1 })),
  );
  const [open, taken] = partition(
    attempts,
    ({ messageId, attempt }) => !registers.has(`${messageId}/${attempt + 1}`),
  );
  for (const attempt of taken) flow.release(attempt);
  // There is capacity left for those behind.
  if (taken.length > 0) flow.wake();
  return open;
}

function partition<T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
  const { yes = [], no = [] } = Object.groupBy(all, (one) => isFirst(one) ? "yes" : "no");
  return [yes, no];
}

async function dispatchPart(
  send: WaitingSend,
  { taken, id, flow }: { taken: number; id: number; flow: Flow },
  deps: ScheduleDeps,
): Promise<number> {
  const { _id, next, trace, accountId, integrationId } = send;
  const options = id === integrationId ? {} : { integrationId: id };
  const attempts = Array.from({ length: taken }, (_, position) => {
    const index = next + position;
    return { index, messageId: messageIdOf(_id, index), attempt: 0 };
  });
  const open = await withoutRegister(attempts, { flow, ...deps });
  const to = next + taken;
  const reconcileAt = new Date(deps.now().getTime() + deps.patienceMs);
  failpoint("tracker.before_advance");
  // The cursor first: the reconciler finds what is lost after it.
  if (!await deps.waiting.advanceSend(send, to, { reconcileAt })) return 0;
  failpoint("tracker.after_advance");
  const events: Outgoing[] = [];
  for (let first = 0; first < open.length; first += MAX_MESSAGES_PER_EVENT) {
    const again = open.slice(first, first + MAX_MESSAGES_PER_EVENT)
      .map(({ index, attempt }) => ({ index, attempt }));
    events.push(...redispatchesOf(send, again, options));
  }
  const integration = `${accountId}/${id}`;
  await publishInFlight(flow, open.map((attempt) => ({ integration, attempt })), async () => {
    await Promise.all(events.map((event) => deps.publish(event, trace)));
  });
  failpoint("tracker.part_dispatched");
  count("posthaste.schedule.dispatched", taken);
  return taken;
}
