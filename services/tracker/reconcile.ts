import { messageIdOf, startOf } from "@posthaste/contracts";
import { isOutage, redispatchesOf } from "@posthaste/messaging";
import { failpoint, pause } from "@posthaste/runtime";
import type { SendHead, StorePart, UnfinishedMessage } from "@posthaste/storage";
import { count, type Logger, recordDuration } from "@posthaste/telemetry";
import { endLost, type EndLostDeps, isLost } from "./end_lost.ts";
import type { Flow } from "./flow.ts";
import { decideReconciliation, idlePauseMs, lookAgainMs, recoveryMs } from "./reconcile_policy.ts";
import type { EventRecorder } from "./record_events.ts";
import { settleFinished, type SettlementDeps } from "./settle_sends.ts";
import { publishInFlight } from "./publish_in_flight.ts";

/** The dependencies of the reconciler. */
export type ReconcileDeps =
  & EndLostDeps
  & Omit<SettlementDeps, "logger">
  & Pick<EventRecorder, "recordTimelines">
  & StorePart<
    | "sends.listToReconcile"
    | "sends.nextReconciliation"
    | "sends.claimReconciliation"
    | "sends.planReconciliation"
    | "messages.unfinishedOf"
    | "waiting.queueSend"
  >
  & {
    logger: Pick<Logger, "info" | "warn">;
  };

/** Timing of the reconciler. */
export interface ReconcileOptions {
  /** A small send passes all stages within this time. */
  graceMs: number;
  /** The messages known to be in flight. */
  flow: Pick<Flow, "knows" | "begin" | "release">;
}

const SENDS_PER_ROUND = 200;
/** The most messages that one read of several sends lists. A larger send is read alone. */
const MESSAGES_PER_READ = 1000;
const SLOW_MS = 2000;

/**
 * Searches the ledger until the signal aborts. It settles sends whose messages are all finished, and
 * redispatches messages without news. The leading scheduler runs it, because it knows what is in flight.
 */
export async function reconcileForever(
  deps: ReconcileDeps,
  options: ReconcileOptions & { intervalMs: number; signal: AbortSignal },
): Promise<void> {
  const { intervalMs, signal } = options;
  while (!signal.aborted) {
    let found = 0;
    let waitMs = intervalMs;
    try {
      found = await reconcileOnce(deps, options);
      if (found === 0) {
        const next = await deps.sends.nextReconciliation();
        waitMs = idlePauseMs(next, { now: deps.now(), intervalMs });
      }
    } catch (error) {
      deps.logger.warn("Cannot reconcile, retrying", { error });
      if (error instanceof LedgerSlowError) waitMs = recoveryMs(options.graceMs);
    }
    // A full round means that more are due.
    if (found < SENDS_PER_ROUND) {
      await pause(waitMs, signal);
    }
  }
}

/**
 * Examines due sends, at most 200. Returns their number.
 */
export async function reconcileOnce(
  deps: ReconcileDeps,
  options: ReconcileOptions,
): Promise<number> {
  const started = performance.now();
  const now = deps.now();
  const found = await findSends(deps, now);
  if (found.length === 0) return 0;
  failpoint("tracker.reconcile_found");
  // Before anything is read: what defers or cancels a message later brings the time forward again. The claim
  // is short: if this round is cut off, the sends that it did not examine are found again soon.
  const until = new Date(now.getTime() + lookAgainMs(0, options.graceMs));
  const ids = found.map(({ _id }) => _id);
  const claimed = await deps.sends.claimReconciliation(ids, { now, reconcileAt: until });
  count("posthaste.reconcile.sends", claimed.length);
  failpoint("tracker.reconcile_postponed");
  const { finished, open } = await examineAll(claimed, { ...options, now }, deps);
  await planLooks(open, until, deps);
  // Their status events may have been lost.
  if (open.length > 0) await deps.recordTimelines({ sendIds: open.map(({ id }) => id) });
  if (finished.length > 0) await settleFinished(finished, deps);
  recordDuration("posthaste.reconcile.duration", (performance.now() - started) / 1000);
  return found.length;
}

/** The ledger was unavailable, or is still recovering. */
class LedgerSlowError extends Error {
  override readonly name = "LedgerSlowError";
}

/**
 * Finds due sends. Results of a ledger that was away are not used immediately: callers were refused meanwhile,
 * and the api withdraws their sends as soon as the ledger answers.
 *
 * @throws {LedgerSlowError} If it does not answer within 2 s.
 */
async function findSends(deps: ReconcileDeps, now: Date): Promise<SendHead[]> {
  const started = performance.now();
  try {
    const sends = await deps.sends.listToReconcile(now, SENDS_PER_ROUND);
    if (performance.now() - started < SLOW_MS) return sends;
  } catch (cause) {
    throw new LedgerSlowError("Cannot find due messages: the ledger is unreachable", { cause });
  }
  throw new LedgerSlowError(
    `Cannot trust the search for due messages: the ledger took over ${SLOW_MS} ms`,
  );
}

/** Returns a send with the messages up to its cursor: those beyond it were never dispatched. */
function dispatchedOf(send: SendHead): SendHead {
  return { ...send, messageCount: send.next ?? send.messageCount };
}

/** Returns the sends in groups that are read together. */
function groupsOf(claimed: readonly SendHead[]): SendHead[][] {
  const groups: SendHead[][] = [];
  let room = 0;
  for (const send of claimed) {
    const { messageCount } = dispatchedOf(send);
    if (groups.length === 0 || messageCount > room) {
      groups.push([]);
      room = MESSAGES_PER_READ;
    }
    room -= messageCount;
    groups.at(-1)?.push(send);
  }
  return groups;
}

/** A send with open messages, and the time of its next examination. */
interface Examined {
  id: string;
  at: Date;
}

/** Sets the next examination of claimed sends: of those with the same time with one command. */
async function planLooks(
  open: readonly Examined[],
  claimedUntil: Date,
  { sends: { planReconciliation } }: ReconcileDeps,
): Promise<void> {
  const planned = open.filter(({ at }) => at.getTime() !== claimedUntil.getTime());
  for (const [at, group] of Map.groupBy(planned, ({ at }) => at.getTime())) {
    const ids = group.map(({ id }) => id);
    await planReconciliation(ids, { claimedUntil, reconcileAt: new Date(at) });
  }
}

/** A send, and its messages that are not finished. */
interface OpenSend {
  send: SendHead;
  messages: readonly UnfinishedMessage[];
}

interface Examination {
  /** Sends whose messages are all finished, by id. */
  finished: string[];
  open: Examined[];
}

/**
 * Examines claimed sends. A send that cannot be reconciled is left out: those after it are not to blame.
 *
 * @throws {Error} An outage.
 */
async function examineAll(
  claimed: readonly SendHead[],
  options: ReconcileOptions & { now: Date },
  deps: ReconcileDeps,
): Promise<Examination> {
  const examination: Examination = { finished: [], open: [] };
  const failed: { sendId: string; error: unknown }[] = [];
  for (const group of groupsOf(claimed)) {
    const unfinished = await deps.messages.unfinishedOf(group.map(dispatchedOf));
    for (const send of group) {
      const messages = unfinished.get(send._id) ?? [];
      if (messages.length === 0 && send.next === undefined) {
        examination.finished.push(send._id);
        continue;
      }
      try {
        examination.open.push(await examine({ send, messages }, options, deps));
      } catch (error) {
        if (isOutage(error)) throw error;
        failed.push({ sendId: send._id, error });
      }
    }
  }
  if (failed.length > 0) {
    deps.logger.warn(`Cannot reconcile ${failed.length} sends, retrying`, { ...failed[0] });
  }
  return examination;
}

async function examine(
  { send, messages }: OpenSend,
  options: ReconcileOptions & { now: Date },
  deps: ReconcileDeps,
): Promise<Examined> {
  const { now, graceMs } = options;
  const looks = await reconcileSend({ send, messages }, options, deps);
  const ms = lookAgainMs(now.getTime() - startOf(send).getTime(), graceMs);
  return { id: send._id, at: earliest([...looks, new Date(now.getTime() + ms)]) };
}

/** Dispatches the due messages of a send. Returns when its other messages are to be examined. */
async function reconcileSend(
  { send, messages }: OpenSend,
  { graceMs, flow, now }: ReconcileOptions & { now: Date },
  deps: ReconcileDeps,
): Promise<Date[]> {
  // It waits for capacity or its time. The process that accepted it may have been lost before it reported
  // that.
  if (send.next !== undefined && send.waitsFor === undefined) await deps.waiting.queueSend(send);
  const attemptOf = ({ index, attempt }: { index: number; attempt: number }) => ({
    ...{ messageId: messageIdOf(send._id, index), attempt },
  });
  const decided = messages.map((message) => ({
    message,
    decision: decideReconciliation(message, {
      isKnown: (attempt) => flow.knows(attemptOf(attempt)),
      ...{ graceMs, now },
    }),
  }));
  const lost = decided.flatMap(({ message: { index, register }, decision }) =>
    isLost(decision) ? [{ index, decision, fallback: register?.fallback }] : []
  );
  const again = decided.flatMap(({ message: { index }, decision }) =>
    decision.do === "dispatch" ? [{ index, attempt: decision.n - 1 }] : []
  );
  await endLost(send, lost, deps);
  failpoint("tracker.lost_ended");
  await publishInFlight(send, redispatchesOf(send, again, { redelivered: true }), {
    flow,
    publish: (event) => deps.publish(event, send.trace),
  });
  if (again.length > 0) {
    failpoint("tracker.reconcile_dispatched");
    count("posthaste.reconcile.dispatched", again.length);
    deps.logger.info("Redispatched", { sendId: send._id, messages: again.length });
  }
  return decided.flatMap(({ decision }) => decision.do === "look" ? [decision.at] : []);
}

function earliest(dates: Date[]): Date {
  return new Date(Math.min(...dates.map((date) => date.getTime())));
}
