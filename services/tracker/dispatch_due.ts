import { nextAction } from "@posthaste/delivery";
import { dispatchesAgain, type Outgoing } from "@posthaste/messaging";
import { crashPoint, repeat } from "@posthaste/runtime";
import type { DeliveryLedgers, DueMessage, DueMessages, SendStore } from "@posthaste/storage";
import { count, type Logger } from "@posthaste/telemetry";
import { endLost, type EndLostDeps, isLost, type LostAttempt } from "./end_lost.ts";

/** What dispatching due messages needs from the outside. */
export interface DueDeps
  extends
    EndLostDeps,
    DueMessages,
    Pick<DeliveryLedgers, "findRegisters">,
    Pick<SendStore, "sendHeads"> {
  publish(outgoing: Outgoing, trace: string | undefined): Promise<void>;
  /** @throws {Error} If the ledger is older than what was done. */
  assertCurrent(): Promise<void>;
  now(): Date;
  logger: Pick<Logger, "warn">;
}

/** What was dispatched (`<message>/<attempts so far>`), and when, in milliseconds that never go back. */
export type InFlight = Map<string, number>;

/** How a round is made. */
export interface DueOptions {
  inFlight: InFlight;
  /** Without news for this long a message counts as lost. */
  patienceMs: number;
  /** @default {performance} */
  clock?: { now(): number };
}

/** Messages of one integration that are in flight at once. */
const MAX_IN_FLIGHT = 200;

/**
 * Dispatches messages whose next attempt is due, until the signal aborts. One tracker does it for all: two
 * do no harm, but twins are wasted work.
 */
export async function dispatchDueForever(
  deps: DueDeps,
  { intervalMs, patienceMs, signal }: {
    intervalMs: number;
    patienceMs: number;
    signal: AbortSignal;
  },
): Promise<void> {
  const inFlight: InFlight = new Map();
  await repeat(async () => void await dispatchDue(deps, { inFlight, patienceMs }), {
    everyMs: intervalMs,
    failure: "Cannot dispatch what is due, trying again",
    logger: deps.logger,
    signal,
  });
}

/**
 * Dispatches what is due and not in flight. Of what has been in flight for too long the register says
 * whether it is lost, is being sent, or was ended by a worker that is lost. Returns how many it dispatched.
 *
 * @throws {Error} If the ledger is older than what was done.
 */
export async function dispatchDue(
  deps: DueDeps,
  { inFlight, patienceMs, clock = performance }: DueOptions,
): Promise<number> {
  const now = deps.now();
  const integrations = await deps.integrationsDue(now);
  const found = (await Promise.all(
    integrations.map((id) => deps.dueMessages(id, { now, limit: MAX_IN_FLIGHT })),
  )).flat();
  const keys = new Set(found.map(keyOf));
  for (const key of inFlight.keys()) if (!keys.has(key)) inFlight.delete(key);
  const isFresh = (message: DueMessage) => !inFlight.has(keyOf(message));
  const isOverdue = (message: DueMessage) =>
    clock.now() - (inFlight.get(keyOf(message)) ?? clock.now()) >= patienceMs;
  const fresh = found.filter(isFresh);
  const overdue = found.filter(isOverdue);
  if (fresh.length + overdue.length === 0) return 0;
  await deps.assertCurrent();
  const { again, lost } = await lookAfter(overdue, deps);
  const dispatched = await dispatch([...fresh, ...again], { lost, deps });
  for (const message of [...fresh, ...overdue]) inFlight.set(keyOf(message), clock.now());
  return dispatched;
}

function keyOf({ _id, attempt }: DueMessage): string {
  return `${_id}/${attempt}`;
}

type Lost = LostAttempt & { sendId: string };

async function lookAfter(
  overdue: readonly DueMessage[],
  { findRegisters }: DueDeps,
): Promise<{ again: DueMessage[]; lost: Lost[] }> {
  const again: DueMessage[] = [];
  const lost: Lost[] = [];
  const nextOf = ({ _id, attempt }: DueMessage) => ({ messageId: _id, n: attempt + 1 });
  const registers = await findRegisters(overdue.map(nextOf));
  for (const message of overdue) {
    const { _id, sendId, index, attempt } = message;
    const outcome = attempt === 0 ? undefined : { attempt, state: "deferred" as const };
    const decision = nextAction(outcome, registers.get(`${_id}/${attempt + 1}`));
    if (decision.do === "dispatch") again.push(message);
    else if (isLost(decision)) lost.push({ sendId, index, decision });
  }
  return { again, lost };
}

async function dispatch(
  messages: readonly DueMessage[],
  { lost, deps }: { lost: readonly Lost[]; deps: DueDeps },
): Promise<number> {
  const bySend = Map.groupBy(messages, ({ sendId }) => sendId);
  const lostBySend = Map.groupBy(lost, ({ sendId }) => sendId);
  const heads = await deps.sendHeads([...new Set([...bySend.keys(), ...lostBySend.keys()])]);
  crashPoint("tracker.before_due");
  for (const head of heads) {
    // What is due after that is found in the next round.
    await endLost(head, lostBySend.get(head._id) ?? [], deps);
    const due = bySend.get(head._id) ?? [];
    for (const event of dispatchesAgain(head, due)) await deps.publish(event, head.trace);
  }
  crashPoint("tracker.after_due");
  count("posthaste.due.dispatched", messages.length);
  return messages.length;
}
