import { type Outgoing, redispatchesOf } from "@posthaste/messaging";
import type { SendHead, StorePart } from "@posthaste/storage";
import { allEnded } from "@posthaste/runtime";
import { count } from "@posthaste/telemetry";
import type { Flow, Returned } from "./flow.ts";
import { FIRST_ATTEMPT, type Routes } from "./routes.ts";
import { publishInFlight } from "./publish_in_flight.ts";
import { withoutRegister } from "./without_register.ts";

/** The dependencies of dispatching returned attempts. */
export type ReturnedDeps = StorePart<"sends.heads" | "registers.find"> & {
  publish(outgoing: Outgoing, trace: string | undefined): Promise<void>;
};

/** How many returned attempts are looked up beyond the capacity: some may have been canceled. */
const LOOK_AHEAD = 50;

/**
 * Dispatches the returned attempts of integrations, within the capacity. Such an attempt has waited and may come back
 * again: with bulk priority it holds up nothing else.
 *
 * @throws The first error, after the work on all other integrations.
 */
export async function dispatchAllReturned(
  found: readonly { key: string; routes: Routes }[],
  { flow, deps }: { flow: Flow; deps: ReturnedDeps },
): Promise<void> {
  await allEnded(found, ({ key, routes }) => dispatchReturned(key, { flow, routes }, deps));
}

async function dispatchReturned(
  key: string,
  { flow, routes }: { flow: Flow; routes: Routes },
  deps: ReturnedDeps,
): Promise<void> {
  const { isFailedOver } = routes;
  const left = isFailedOver ? routes.mostLeft() : routes.ownLeft();
  const returned = flow.returned(key);
  if (left <= 0 || returned.length === 0) return;
  // Among several integrations, the sender of each decides.
  const found = isFailedOver ? returned : returned.slice(0, left + LOOK_AHEAD);
  const ids = new Set(found.map(({ sendId }) => sendId));
  const heads = new Map((await deps.sends.heads([...ids])).map((head) => [head._id, head]));
  const isRemoved = ({ sendId }: Returned) => !heads.has(sendId);
  for (const attempt of found.filter(isRemoved)) flow.release(attempt);
  const routeOf = ({ sendId }: Returned) =>
    routes.routeFor({ ...FIRST_ATTEMPT, from: heads.get(sendId)?.from.email ?? "" });
  const able = found.flatMap((attempt) => {
    const { id, left } = routeOf(attempt);
    return isRemoved(attempt) || left <= 0 ? [] : [{ attempt, id }];
  });
  // A page of mail for one integration must not hide that for another.
  const first = [...Map.groupBy(able, ({ id }) => id).values()]
    .flatMap((part) => part.slice(0, left + LOOK_AHEAD).map(({ attempt }) => attempt));
  const open = await withoutRegister(first, { flow, ...deps });
  const chosen = open.flatMap((attempt): RoutedReturn[] => {
    const { id, left } = routeOf(attempt);
    if (left <= 0) return [];
    routes.take(id, 1);
    return [{ ...attempt, by: id }];
  });
  await publishReturned(chosen, { key, own: routes.id, heads, flow }, deps);
}

/** A returned attempt, and the integration that makes it now. */
interface RoutedReturn extends Returned {
  by: number;
}

/** Dispatches returned attempts. If that fails, they wait as before. */
async function publishReturned(
  chosen: readonly RoutedReturn[],
  { key, own, heads, flow }: {
    key: string;
    own: number;
    heads: ReadonlyMap<string, SendHead>;
    flow: Flow;
  },
  deps: ReturnedDeps,
): Promise<void> {
  const bySend = Map.groupBy(chosen, ({ sendId, by }) => `${sendId} ${by}`);
  await allEnded([...bySend.values()], async (part) => {
    const [first] = part;
    const head = first && heads.get(first.sendId);
    if (first === undefined || head === undefined) return;
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
  });
}
