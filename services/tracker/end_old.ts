import { allEnded, repeat } from "@posthaste/runtime";
import type { StorePart } from "@posthaste/storage";
import type { Logger } from "@posthaste/telemetry";
import { isExpired } from "./capacity.ts";
import {
  endExpired,
  type ExpiryDeps,
  failExpired,
  MESSAGES_PER_ROUND,
  type WaitedFor,
} from "./end_expired.ts";
import type { AttemptKey, Flow } from "./flow.ts";
import {
  FIRST_ATTEMPT,
  openRound,
  openRoutes,
  type Round,
  type RouteDeps,
  type Routes,
} from "./open_routes.ts";

/** The dependencies of ending mail that has waited too long. */
export type EndOldDeps =
  & ExpiryDeps
  & RouteDeps
  & StorePart<
    | "waiting.integrationsDue"
    | "waiting.integrationsWaitedFor"
    | "waiting.oldMessages"
    | "waiting.listOld"
    | "waiting.advanceSend"
    | "circuits.list"
    | "sends.heads"
  >
  & { logger: Pick<Logger, "warn"> };

/** Pause between two rounds while mail waits. */
const ROUND_EVERY_MS = 1000;

/** Interval at which the mail of one integration is searched. */
const LOOK_EVERY_MS = 10_000;

/** Maximum number of integrations that one round searches: a hundred stopped ones must not cause a burst of work. */
const MAX_LOOKS = 10;

/** Maximum number of expired messages that one round fails, of all integrations. */
const MAX_EXPIRED_PER_ROUND = 500;

/** Time of the last search, in milliseconds, by integration. */
export type Looks = Map<string, number>;

/** Fails mail that has waited too long for integrations that take none, until the signal aborts. */
export async function endOldForever(
  deps: EndOldDeps,
  { flow, signal }: { flow: Flow; signal: AbortSignal },
): Promise<void> {
  const looks: Looks = new Map();
  await repeat(() => endOld(deps, flow, looks), {
    everyMs: ROUND_EVERY_MS,
    idleMs: LOOK_EVERY_MS,
    failure: "Cannot fail what has waited too long, retrying",
    logger: deps.logger,
    signal,
  });
}

/**
 * Fails messages that no integration takes now, and that have waited for the maximum time. While their integration only
 * has no room, they wait for their last attempt. Returns whether any mail waits.
 *
 * @throws The first error, after the work on all other integrations.
 */
export async function endOld(deps: EndOldDeps, flow: Flow, looks: Looks): Promise<boolean> {
  const integrations = new Set([
    ...flow.integrationsReturned(),
    ...await deps.waiting.integrationsWaitedFor(),
    ...await deps.waiting.integrationsDue(deps.now()),
  ]);
  for (const key of looks.keys()) if (!integrations.has(key)) looks.delete(key);
  const looked = takeLooks(integrations, looks, deps.now());
  if (looked.length === 0) return integrations.size > 0;
  const round = openRound(await deps.circuits.list(), flow);
  const errors: unknown[] = [];
  let left = MAX_EXPIRED_PER_ROUND;
  for (const key of looked) {
    try {
      left -= await endOldOf(key, round, { max: left }, deps);
    } catch (error) {
      errors.push(error);
    }
    // The next round continues here.
    if (left <= 0) looks.delete(key);
  }
  if (errors.length > 0) throw errors[0];
  return true;
}

/** Chooses the integrations that are searched in this round: those whose last search is longest ago. */
function takeLooks(integrations: Iterable<string>, looks: Looks, now: Date): string[] {
  const lastOf = (key: string) => looks.get(key) ?? 0;
  const due = [...integrations].filter((key) => now.getTime() - lastOf(key) >= LOOK_EVERY_MS);
  const taken = due.toSorted((a, b) => lastOf(a) - lastOf(b)).slice(0, MAX_LOOKS);
  for (const key of taken) looks.set(key, now.getTime());
  return taken;
}

/** Fails at most `max` messages of an integration, and the rest of the last part of a send. Returns their number. */
async function endOldOf(
  key: string,
  round: Round,
  { max }: { max: number },
  deps: EndOldDeps,
): Promise<number> {
  if (max <= 0) return 0;
  const { flow, circuits } = round;
  const routes = await openRoutes(key, round, deps);
  flow.failOver(key, routes.isFailedOver);
  const { integration, isStopped } = routes;
  if (integration === null || !isStopped) return 0;
  const now = deps.now();
  const waitedFor = { integration, circuit: circuits.get(key) };
  const returned = flow.returned(key);
  // Of a later attempt the ledger knows since when it waits.
  for (const attempt of returned.filter(({ attempt }) => attempt > 0)) flow.release(attempt);
  const expired = returned.filter((one) =>
    one.attempt === 0 && isExpired(one, { integration, now })
  );
  const ended = await failStuck(expired.slice(0, max), routes, waitedFor, deps);
  for (const attempt of ended) flow.release(attempt);
  let count = ended.length;
  const before = new Date(now.getTime() - integration.retryForMs);
  const search = () => ({ before, except: routes.served(), limit: max - count });
  if (count < max) {
    const found = await deps.waiting.oldMessages(key, { now, ...search() });
    const due = found.map(({ _id: messageId, ...one }) => ({ ...one, messageId }));
    const open = due.filter((one) => !flow.holds(one));
    count += (await failStuck(open, routes, waitedFor, deps)).length;
  }
  if (count < max) {
    const sends = await deps.waiting.listOld(key, search());
    const taken = sends.filter((send) => {
      if (count >= max) return false;
      count += Math.min(MESSAGES_PER_ROUND, send.messageCount - send.next);
      return true;
    });
    await allEnded(taken, (send) => endExpired(send, waitedFor, deps));
  }
  return count;
}

/** A message that has waited too long. */
interface Old extends AttemptKey {
  sendId: string;
  index: number;
  unknownAttempts?: readonly number[];
}

/** Fails those messages that no integration takes. Returns them. */
async function failStuck<T extends Old>(
  old: readonly T[],
  routes: Routes,
  waitedFor: WaitedFor,
  deps: EndOldDeps,
): Promise<T[]> {
  if (old.length === 0) return [];
  const ids = new Set(old.map(({ sendId }) => sendId));
  const heads = await deps.sends.heads([...ids]);
  const bySend = Map.groupBy(old, ({ sendId }) => sendId);
  const failed = await allEnded(heads, async (head) => {
    const from = head.from.email;
    const stuck = (bySend.get(head._id) ?? []).filter(({ unknownAttempts = [] }) =>
      routes.isStuck({ ...FIRST_ATTEMPT, from, unknownAttempts })
    );
    await failExpired(head, stuck, waitedFor, deps);
    return stuck;
  });
  return failed.flat();
}
