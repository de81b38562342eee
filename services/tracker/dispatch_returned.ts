import { redispatchesOf } from "@posthaste/messaging";
import type { IntegrationCircuit, SendHead, StorePart } from "@posthaste/storage";
import { allEnded } from "@posthaste/runtime";
import { count } from "@posthaste/telemetry";
import { chooseWithin } from "./capacity.ts";
import { type ExpiryDeps, failExpired, MESSAGES_PER_ROUND } from "./end_expired.ts";
import type { Flow, Returned } from "./flow.ts";
import { FIRST_ATTEMPT, type Routes } from "./open_routes.ts";
import { publishInFlight } from "./publish_in_flight.ts";
import { withoutRegister } from "./without_register.ts";

/** The dependencies of dispatching attempts that came back. */
export type ReturnedDeps = ExpiryDeps & StorePart<"sends.heads" | "registers.find">;

/** How many attempts that came back are looked up beyond the capacity: some may have been canceled. */
const LOOK_AHEAD = 50;

/**
 * Dispatches attempts that came back, within the capacity. Such an attempt has waited and may come back again:
 * with bulk priority it holds up nothing else. Fails those that have waited for the maximum time while their integration
 * is stopped. Returns the number of dispatched ones.
 */
export async function dispatchReturned(
  key: string,
  { circuit, flow, routes }: {
    circuit: IntegrationCircuit | undefined;
    flow: Flow;
    routes: Routes;
  },
  deps: ReturnedDeps,
): Promise<number> {
  const { id: own, integration, isFailedOver, isStopped } = routes;
  const { left } = routes.routeFor(FIRST_ATTEMPT);
  // Among several integrations, the sender of each decides.
  const others = routes.elsewhere()?.length ? Infinity : 0;
  const capacity = Math.max(others, left > 0 ? left + LOOK_AHEAD : 0);
  const { fresh, expired } = chooseWithin(flow.returned(key), {
    ...{ integration, capacity, now: deps.now() },
  });
  const found = capacity > 0 || isStopped ? [...expired, ...fresh] : [];
  // Of a later attempt the ledger knows whether another integration may make it, and since when it waits.
  const [later, first] = partition(
    found,
    ({ attempt }) => attempt > 0 && (isFailedOver || isStopped),
  );
  for (const attempt of later) flow.release(attempt);
  const ids = new Set(first.map(({ sendId }) => sendId));
  if (ids.size === 0) return 0;
  const open = isFailedOver ? first : await withoutRegister(first, { flow, ...deps });
  const heads = new Map((await deps.sends.heads([...ids])).map((head) => [head._id, head]));
  const routed = open.flatMap((attempt): RoutedReturn[] => {
    const from = heads.get(attempt.sendId)?.from.email ?? "";
    const assigned = routes.assign({ ...FIRST_ATTEMPT, from, acceptedAt: attempt.acceptedAt });
    if (assigned === undefined) return [];
    return [{ ...attempt, by: assigned.id, isTooLate: assigned.isTooLate }];
  });
  const [late, waiting] = partition(routed, ({ isTooLate }) => isTooLate);
  const ended = late.slice(0, MESSAGES_PER_ROUND);
  for (const [id, ofSend] of Map.groupBy(ended, ({ sendId }) => sendId)) {
    const head = heads.get(id);
    if (head && integration) await failExpired(head, ofSend, { integration, circuit }, deps);
    for (const attempt of ofSend) flow.release(attempt);
  }
  const chosen = isFailedOver ? await withoutRegister(waiting, { flow, ...deps }) : waiting;
  return await publishReturned(chosen, { key, own, heads, flow }, deps);
}

/** An attempt that came back, and the integration that makes it now; or one to fail. */
interface RoutedReturn extends Returned {
  by: number;
  isTooLate: boolean;
}

/** Dispatches attempts that came back, and returns their number. If that fails, they wait as before. */
async function publishReturned(
  chosen: readonly RoutedReturn[],
  { key, own, heads, flow }: {
    key: string;
    own: number;
    heads: ReadonlyMap<string, SendHead>;
    flow: Flow;
  },
  deps: ReturnedDeps,
): Promise<number> {
  const bySend = Map.groupBy(chosen, ({ sendId, by }) => `${sendId} ${by}`);
  const dispatched = await allEnded([...bySend.values()], async (part) => {
    const [first] = part;
    const head = first && heads.get(first.sendId);
    if (first === undefined || head === undefined) {
      // Its send was removed.
      for (const attempt of part) flow.release(attempt);
      return 0;
    }
    const events = redispatchesOf(
      { ...head, priority: "bulk" },
      part,
      { redelivered: true, integrationId: first.by === own ? undefined : first.by },
    );
    const byMessage = new Map(part.map((attempt) => [attempt.messageId, attempt]));
    const used = `${head.accountId}/${first.by}`;
    await publishInFlight(head, events, {
      flow,
      publish: (event) => deps.publish(event, head.trace),
      giveUp({ messageId }) {
        const attempt = byMessage.get(messageId);
        if (attempt) flow.keepReturned(used, attempt, { isServerBusy: false, own: key });
      },
    });
    count("posthaste.schedule.dispatched", part.length);
    return part.length;
  });
  return dispatched.reduce((sum, length) => sum + length, 0);
}

function partition<T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
  const { yes = [], no = [] } = Object.groupBy(all, (one) => isFirst(one) ? "yes" : "no");
  return [yes, no];
}
