import { allSettled } from "@posthaste/runtime";
import { reasonOfPause, type StorePart } from "@posthaste/storage";
import { failMessages, failOverduePart, type FailureDeps } from "./fail_messages.ts";
import type { AttemptKey, Flow } from "./flow.ts";
import { openRoutes, type Round, type RouteDeps } from "./open_routes.ts";
import type { Routes } from "./routes.ts";

/** The dependencies of failing the overdue mail of an integration. */
export type OverdueMailDeps =
  & FailureDeps
  & RouteDeps
  & StorePart<
    | "waiting.overdueMessages"
    | "waiting.overdueSends"
    | "waiting.advanceSend"
    | "sends.heads"
  >;

/** What became of overdue messages. */
export interface Failed {
  /** Number of those that failed. Of the others, another process has begun or ended the attempt. */
  failed: number;
  errors: unknown[];
}

/** The mail of an integration that takes none now. */
interface OverdueMail {
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

/**
 * Fails at most `max` overdue messages of an integration that no integration takes now.
 *
 * @throws {Error} The integration cannot be read.
 */
export async function failOverdueOf(
  key: string,
  { round, max }: { round: Round; max: number },
  deps: OverdueMailDeps,
): Promise<Failed> {
  const mail = await findStopped(key, round, deps);
  if (mail === undefined) return { failed: 0, errors: [] };
  let left = max;
  const errors: unknown[] = [];
  for (const fail of [failReturned, failDue, failWaiting]) {
    if (left <= 0) break;
    try {
      const part = await fail({ ...mail, max: left }, deps);
      left -= part.failed;
      errors.push(...part.errors);
    } catch (error) {
      errors.push(error);
    }
  }
  return { failed: max - left, errors };
}

/** Returns the mail of an integration; `undefined` if it takes some now, or does not exist any more. */
async function findStopped(
  key: string,
  round: Round,
  deps: OverdueMailDeps,
): Promise<Omit<OverdueMail, "max"> | undefined> {
  const { integration, ...routes } = await openRoutes(key, round, deps);
  const cause = reasonOfPause(integration, round.circuits.get(key));
  if (integration === null || !routes.isStopped || cause === undefined) return undefined;
  const now = deps.now();
  const before = new Date(now.getTime() - integration.retryForMs);
  return { key, flow: round.flow, routes, cause, now, before };
}

/** Fails returned first attempts. */
async function failReturned(mail: OverdueMail, deps: OverdueMailDeps): Promise<Failed> {
  const { key, flow, before } = mail;
  const overdue = flow.returned(key).filter(({ acceptedAt }) => acceptedAt <= before);
  const { done, ...ended } = await failStuck(overdue, mail, deps);
  for (const attempt of done) flow.release(attempt);
  return ended;
}

/** Fails messages whose next attempt is due. */
async function failDue(mail: OverdueMail, deps: OverdueMailDeps): Promise<Failed> {
  const { key, flow, routes, max: limit, now, before } = mail;
  const except = routes.served();
  const found = await deps.waiting.overdueMessages(key, { now, before, except, limit });
  const due = found.map(({ _id: messageId, ...one }) => ({ ...one, messageId }));
  return await failStuck(due.filter((one) => !flow.knows(one)), mail, deps);
}

/** Fails messages of sends that wait for their first dispatch. */
async function failWaiting(mail: OverdueMail, deps: OverdueMailDeps): Promise<Failed> {
  const { key, routes, cause, max, before } = mail;
  const except = routes.served();
  const sends = await deps.waiting.overdueSends(key, { before, except, limit: max });
  let planned = 0;
  const parts = sends.flatMap((send) => {
    const part = Math.min(max - planned, send.messageCount - send.next);
    planned += part;
    return part > 0 ? [{ send, part }] : [];
  });
  const { results, errors } = await allSettled(
    parts,
    ({ send, part }) => failOverduePart(send, { cause, max: part }, deps),
  );
  return { failed: sum(results), errors };
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
async function failStuck<T extends Overdue>(
  overdue: readonly T[],
  { routes, cause, max }: OverdueMail,
  deps: OverdueMailDeps,
): Promise<Failed & { done: T[] }> {
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
    failed: sum(results.map(({ failed }) => failed)),
    errors,
    done: [
      ...results.flatMap(({ messages }) => messages),
      ...overdue.filter(({ sendId }) => !bySend.has(sendId)),
    ],
  };
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
