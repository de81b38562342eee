import { allEnded, repeat } from "@posthaste/runtime";
import { reasonOfPause, type StorePart } from "@posthaste/storage";
import type { Logger } from "@posthaste/telemetry";
import { failMessages, failOverduePart, type FailureDeps } from "./fail_messages.ts";
import type { AttemptKey, Flow } from "./flow.ts";
import { openRound, openRoutes, type Round, type RouteDeps, type Routes } from "./open_routes.ts";

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
 * @throws The first error, after the work on all other integrations.
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
    try {
      left -= await failOverdueOf(key, round, { max: left }, deps);
    } catch (error) {
      errors.push(error);
    }
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

/** Fails at most `max` messages of an integration. Returns their number. */
async function failOverdueOf(
  key: string,
  round: Round,
  { max }: { max: number },
  deps: OverdueDeps,
): Promise<number> {
  const { flow, circuits } = round;
  const routes = await openRoutes(key, round, deps);
  const { integration, isStopped } = routes;
  const cause = reasonOfPause(integration, circuits.get(key));
  if (integration === null || !isStopped || cause === undefined) return 0;
  const now = deps.now();
  const returned = flow.returned(key);
  // Of a later attempt the ledger knows since when it waits.
  for (const attempt of returned.filter(({ attempt }) => attempt > 0)) flow.release(attempt);
  const before = new Date(now.getTime() - integration.retryForMs);
  const overdue = returned.filter((one) => one.attempt === 0 && one.acceptedAt <= before);
  const ended = await failStuck(overdue.slice(0, max), routes, cause, deps);
  for (const attempt of ended.stuck) flow.release(attempt);
  let count = ended.failed;
  const search = () => ({ before, except: routes.served(), limit: max - count });
  if (count < max) {
    const found = await deps.waiting.overdueMessages(key, { now, ...search() });
    const due = found.map(({ _id: messageId, ...one }) => ({ ...one, messageId }));
    const open = due.filter((one) => !flow.holds(one));
    count += (await failStuck(open, routes, cause, deps)).failed;
  }
  if (count < max) {
    const sends = await deps.waiting.overdueSends(key, search());
    const parts = sends.flatMap((send) => {
      const part = Math.min(max - count, send.messageCount - send.next);
      count += part;
      return part > 0 ? [{ send, part }] : [];
    });
    await allEnded(parts, ({ send, part }) => failOverduePart(send, { cause, max: part }, deps));
  }
  return count;
}

/** A message that has waited too long. */
interface Overdue extends AttemptKey {
  sendId: string;
  index: number;
  unknownAttempts?: readonly number[];
}

/**
 * Fails those messages that no integration takes. Returns them, and how many failed: of the others, another process has
 * begun or ended the attempt.
 */
async function failStuck<T extends Overdue>(
  overdue: readonly T[],
  routes: Routes,
  cause: string,
  deps: OverdueDeps,
): Promise<{ stuck: T[]; failed: number }> {
  const ids = new Set(overdue.map(({ sendId }) => sendId));
  const heads = ids.size === 0 ? [] : await deps.sends.heads([...ids]);
  const bySend = new Map(heads.map((head) => [head._id, head]));
  const stuck = overdue.filter(({ sendId, unknownAttempts = [] }) => {
    const from = bySend.get(sendId)?.from.email;
    return from !== undefined && routes.isStuck({ from, unknownAttempts });
  });
  const failed = await allEnded(
    heads,
    (head) => failMessages(head, stuck.filter(({ sendId }) => sendId === head._id), cause, deps),
  );
  return { stuck, failed: failed.reduce((sum, count) => sum + count, 0) };
}
