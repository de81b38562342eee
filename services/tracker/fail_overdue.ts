import { allSettled, repeat } from "@posthaste/runtime";
import { reasonOfPause, type StorePart } from "@posthaste/storage";
import type { Logger } from "@posthaste/telemetry";
import { failMessages, failOverduePart, type FailureDeps } from "./fail_messages.ts";
import type { AttemptKey, Flow } from "./flow.ts";
import { openRound, openRoutes, type Round, type RouteDeps } from "./open_routes.ts";
import type { Routes } from "./routes.ts";

/** The dependencies of ending mail that has waited too long. */
export type OverdueDeps =
  & FailureDeps
  & RouteDeps
  & StorePart<
    | "waiting.integrationsDue"
    | "waiting.integrationsWaitedFor"
    | "waiting.overdueMessages"
    | "waiting.overdueSends"
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

/** Maximum number of overdue messages that one round fails, of all integrations. */
const MAX_FAILED_PER_ROUND = 500;

/** Time of the last search, in milliseconds, by integration. */
export type Looks = Map<string, number>;

/** Fails mail that has waited too long for integrations that take none, until the signal aborts. */
export async function failOverdueForever(
  deps: OverdueDeps,
  { flow, signal }: { flow: Flow; signal: AbortSignal },
): Promise<void> {
  const looks: Looks = new Map();
  await repeat(() => failOverdue(deps, flow, looks), {
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
 * @throws The first error, after the work on all other integrations and sends.
 */
export async function failOverdue(deps: OverdueDeps, flow: Flow, looks: Looks): Promise<boolean> {
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
  let left = MAX_FAILED_PER_ROUND;
  for (const key of looked) {
    if (left <= 0) {
      // The next round begins with it.
      looks.delete(key);
      continue;
    }
    const ended = await endOverdueOf(key, { round, max: left }, deps);
    left -= ended.failed;
    errors.push(...ended.errors);
    // The next round continues here, after those.
    if (left <= 0) looks.set(key, deps.now().getTime() - LOOK_EVERY_MS);
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

/** What became of overdue messages. */
interface Ended {
  /** Number of those that failed. Of the others, another process has begun or ended the attempt. */
  failed: number;
  errors: unknown[];
}

/** The overdue mail of an integration that takes none now. */
interface Look {
  /** `_id` of the integration. */
  key: string;
  flow: Flow;
  routes: Routes;
  /** Why it waits: a sentence for people. */
  cause: string;
  now: Date;
  /** What has waited since before this time is overdue. */
  before: Date;
  /** Maximum number of messages that fail. */
  max: number;
}

/** Fails at most `max` messages of an integration. */
async function endOverdueOf(
  key: string,
  { round, max }: { round: Round; max: number },
  deps: OverdueDeps,
): Promise<Ended> {
  const ended: Ended = { failed: 0, errors: [] };
  try {
    const { integration, ...routes } = await openRoutes(key, round, deps);
    const cause = reasonOfPause(integration, round.circuits.get(key));
    if (integration === null || !routes.isStopped || cause === undefined) return ended;
    const now = deps.now();
    const before = new Date(now.getTime() - integration.retryForMs);
    const look = { key, flow: round.flow, routes, cause, now, before };
    for (const end of [endReturned, endDue, endWaiting]) {
      if (ended.failed >= max) break;
      const { failed, errors } = await end({ ...look, max: max - ended.failed }, deps);
      ended.failed += failed;
      ended.errors.push(...errors);
    }
  } catch (error) {
    ended.errors.push(error);
  }
  return ended;
}

/** Fails first returned attempts. Of later ones the ledger knows since when they wait. */
async function endReturned(look: Look, deps: OverdueDeps): Promise<Ended> {
  const { key, flow, before } = look;
  const returned = flow.returned(key);
  for (const later of returned.filter(({ attempt }) => attempt > 0)) flow.release(later);
  const overdue = returned.filter((one) => one.attempt === 0 && one.acceptedAt <= before);
  const { done, ...ended } = await endStuck(overdue, look, deps);
  for (const attempt of done) flow.release(attempt);
  return ended;
}

/** Fails messages whose next attempt is due. */
async function endDue(look: Look, deps: OverdueDeps): Promise<Ended> {
  const { key, flow, routes, max: limit, now, before } = look;
  const except = routes.served();
  const found = await deps.waiting.overdueMessages(key, { now, before, except, limit });
  const due = found.map(({ _id: messageId, ...one }) => ({ ...one, messageId }));
  return await endStuck(due.filter((one) => !flow.knows(one)), look, deps);
}

/** Fails messages of sends that wait for their first dispatch. */
async function endWaiting(look: Look, deps: OverdueDeps): Promise<Ended> {
  const { key, routes, cause, max, before } = look;
  const except = routes.served();
  const sends = await deps.waiting.overdueSends(key, { before, except, limit: max });
  let failed = 0;
  const parts = sends.flatMap((send) => {
    const part = Math.min(max - failed, send.messageCount - send.next);
    failed += part;
    return part > 0 ? [{ send, part }] : [];
  });
  const fail = ({ send, part }: typeof parts[number]) =>
    failOverduePart(send, { cause, max: part }, deps);
  return { failed, errors: (await allSettled(parts, fail)).errors };
}

/** A message that has waited too long. */
interface Overdue extends AttemptKey {
  sendId: string;
  index: number;
  unknownAttempts?: readonly number[];
}

/**
 * Fails those messages that no integration takes. Returns as `done` those of which nothing is left to do: they have
 * failed, another process has their attempt, or their send was removed.
 */
async function endStuck<T extends Overdue>(
  overdue: readonly T[],
  { routes, cause, max }: Look,
  deps: OverdueDeps,
): Promise<Ended & { done: T[] }> {
  const ids = new Set(overdue.map(({ sendId }) => sendId));
  const heads = ids.size === 0 ? [] : await deps.sends.heads([...ids]);
  const bySend = new Map(heads.map((head) => [head._id, head]));
  const stuck = overdue.filter(({ sendId, unknownAttempts = [] }) => {
    const from = bySend.get(sendId)?.from.email;
    return from !== undefined && routes.isStuck({ from, unknownAttempts });
  }).slice(0, max);
  const { results, errors } = await allSettled(heads, async (head) => {
    const messages = stuck.filter(({ sendId }) => sendId === head._id);
    return { messages, failed: await failMessages(head, messages, cause, deps) };
  });
  return {
    failed: results.reduce((sum, { failed }) => sum + failed, 0),
    errors,
    done: [
      ...results.flatMap(({ messages }) => messages),
      ...overdue.filter(({ sendId }) => !bySend.has(sendId)),
    ],
  };
}
