import type { Integration } from "@posthaste/contracts";
import { dispatchesAgain, type Outgoing } from "@posthaste/messaging";
import { crashPoint, repeat } from "@posthaste/runtime";
import type {
  IntegrationHealth,
  IntegrationTrouble,
  MessageParking,
  Released,
  SendStore,
} from "@posthaste/storage";
import { count, type Logger } from "@posthaste/telemetry";
import { FIRST_WINDOW, nextWindow, roomFor, type Window } from "./release_policy.ts";

/** What the releaser needs from the outside. */
export interface ReleaseDeps
  extends
    Pick<MessageParking, "parkedIntegrations" | "countReleased" | "takeReturned" | "releaseParked">,
    Pick<IntegrationHealth, "listTroubled">,
    Pick<SendStore, "sendHeads"> {
  findIntegration(accountId: string, id: number): Promise<Integration | null>;
  publish(outgoing: Outgoing, trace: string | undefined): Promise<void>;
  /** @throws {Error} If the ledger is older than what was done. */
  assertCurrent(): Promise<void>;
  now(): Date;
  logger: Pick<Logger, "warn">;
}

/** How wide the window of each integration is that has parked mail, by its `_id`. */
export type Windows = Map<string, Window>;

const EXPIRED_PER_ROUND = 200;
const LOOK_AFTER_MS = 60_000;

/**
 * Lets parked mail go as there is room for it, until the signal aborts. One tracker does it for all: two
 * would each see the same mail and the same room, and what one learns of a server the other would not.
 */
export async function releaseForever(
  deps: ReleaseDeps,
  { intervalMs, signal }: { intervalMs: number; signal: AbortSignal },
): Promise<void> {
  const windows: Windows = new Map();
  await repeat(async () => {
    await releaseOnce(deps, windows);
  }, {
    everyMs: intervalMs,
    failure: "Cannot let parked mail go, trying again",
    logger: deps.logger,
    signal,
  });
}

/**
 * Lets go what there is room for now, and gives how much that was.
 *
 * @throws {Error} If the ledger is older than what was done.
 */
export async function releaseOnce(deps: ReleaseDeps, windows: Windows): Promise<number> {
  const parked = await deps.parkedIntegrations();
  for (const key of windows.keys()) if (!parked.includes(key)) windows.delete(key);
  if (parked.length === 0) return 0;
  await deps.assertCurrent();
  const troubles = new Map((await deps.listTroubled()).map((trouble) => [trouble._id, trouble]));
  let total = 0;
  for (const key of parked) {
    total += await releaseFor(key, { windows, trouble: troubles.get(key) }, deps);
  }
  return total;
}

async function releaseFor(
  parkedFor: string,
  { windows, trouble }: { windows: Windows; trouble: IntegrationTrouble | undefined },
  deps: ReleaseDeps,
): Promise<number> {
  const now = deps.now();
  const times = { now, sweepAt: new Date(now.getTime() + LOOK_AFTER_MS) };
  const [accountId = "", id] = parkedFor.split("/");
  const integration = await deps.findIntegration(accountId, Number(id));
  const onTheirWay = await deps.countReleased(parkedFor);
  const before = windows.get(parkedFor) ?? FIRST_WINDOW;
  const returned = await deps.takeReturned(parkedFor);
  const window = { ...before, size: nextWindow(before, { onTheirWay, returned }) };
  // What has waited as long as mail may wait fails, whatever its server does.
  const acceptedBefore = new Date(now.getTime() - (integration?.retryForMs ?? 0));
  const expired = await deps.releaseParked({
    parkedFor,
    limit: EXPIRED_PER_ROUND,
    ...times,
    acceptedBefore,
  });
  crashPoint("tracker.before_release");
  const room = roomFor({ integration, trouble, onTheirWay, window, now });
  const limit = room - expired.length;
  const due = limit > 0 ? await deps.releaseParked({ parkedFor, limit, ...times }) : [];
  windows.set(parkedFor, { size: window.size, released: due.length });
  crashPoint("tracker.after_release");
  await dispatch([...expired, ...due], deps);
  return expired.length + due.length;
}

async function dispatch(released: Released[], deps: ReleaseDeps): Promise<void> {
  if (released.length === 0) return;
  const bySend = Map.groupBy(released, ({ sendId }) => sendId);
  for (const head of await deps.sendHeads([...bySend.keys()])) {
    const messages = bySend.get(head._id) ?? [];
    for (const event of dispatchesAgain(head, messages)) await deps.publish(event, head.trace);
  }
  crashPoint("tracker.release_dispatched");
  count("posthaste.release.dispatched", released.length);
}
