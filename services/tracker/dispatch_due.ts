import type { Priority } from "@posthaste/contracts";
import { nextAction } from "@posthaste/delivery";
import { dispatchesAgain, type Outgoing } from "@posthaste/messaging";
import { crashPoint, repeat } from "@posthaste/runtime";
import type {
  DeliveryLedgers,
  DueMessage,
  DueMessages,
  IntegrationHealth,
  IntegrationTrouble,
  SendHead,
  SendStore,
} from "@posthaste/storage";
import { count, type Logger } from "@posthaste/telemetry";
import { endLost, type EndLostDeps, isLost, type LostAttempt } from "./end_lost.ts";
import type { Flow } from "./flow.ts";
import { roomFor } from "./room.ts";

/** What dispatching due messages needs from the outside. */
export interface DueDeps
  extends
    EndLostDeps,
    DueMessages,
    Pick<DeliveryLedgers, "findRegisters">,
    Pick<IntegrationHealth, "listTroubled">,
    Pick<SendStore, "sendHeads"> {
  publish(outgoing: Outgoing, trace: string | undefined): Promise<void>;
  /** Without news for this long a message counts as lost. */
  patienceMs: number;
  /** @throws {Error} If the ledger is older than what was done. */
  assertCurrent(): Promise<void>;
  now(): Date;
  logger: Pick<Logger, "warn">;
}

/** What was dispatched, by `<message>/<attempts so far>`. */
export type InFlight = Map<string, Dispatched>;

/** An attempt that was dispatched. */
export interface Dispatched {
  /** In milliseconds that never go back. */
  at: number;
  /** Since when it was due then: a later time says that it came back. */
  dueAt: number;
}

/** How a round is made. */
export interface DueOptions {
  inFlight: InFlight;
  flow: Flow;
  /** @default {performance} */
  clock?: { now(): number };
}

/** What has waited as long as mail may wait is dispatched, to fail: so many of an integration at once. */
const MAX_EXPIRED = 200;

/**
 * Dispatches messages whose next attempt is due, until the signal aborts. One tracker does it for all: two
 * do no harm, but twins are wasted work.
 */
export async function dispatchDueForever(
  deps: DueDeps,
  { flow, intervalMs, signal }: { flow: Flow; intervalMs: number; signal: AbortSignal },
): Promise<void> {
  const inFlight: InFlight = new Map();
  await repeat(async () => void await dispatchDue(deps, { inFlight, flow }), {
    everyMs: intervalMs,
    failure: "Cannot dispatch what is due, trying again",
    logger: deps.logger,
    signal,
  });
}

/**
 * Dispatches what is due and not in flight, as there is room for it. Of what has been in flight for too
 * long the register says whether it is lost, is being sent, or was ended by a worker that is lost. Returns
 * how many it dispatched.
 *
 * @throws {Error} If the ledger is older than what was done.
 */
export async function dispatchDue(deps: DueDeps, options: DueOptions): Promise<number> {
  const { inFlight, flow, clock = performance } = options;
  const integrations = await deps.integrationsDue(deps.now());
  if (integrations.length === 0) {
    inFlight.clear();
    return 0;
  }
  const troubles = new Map((await deps.listTroubled()).map((trouble) => [trouble._id, trouble]));
  const looks = await Promise.all(
    integrations.map((key) => lookAt(key, troubles.get(key), deps, options)),
  );
  const keys = new Set(looks.flatMap(({ found }) => found.map(keyOf)));
  for (const key of inFlight.keys()) if (!keys.has(key)) inFlight.delete(key);
  const fresh = looks.flatMap(({ fresh }) => fresh);
  const overdue = looks.flatMap(({ overdue }) => overdue);
  if (fresh.length + overdue.length === 0) return 0;
  await deps.assertCurrent();
  const { again, lost } = await lookAfter(overdue, deps);
  const dispatched = await dispatch([...fresh, ...again], { lost, deps });
  for (const { key, fresh } of looks) {
    for (const { _id: messageId, attempt } of fresh) flow.begin(key, { messageId, attempt });
  }
  for (const message of [...fresh, ...overdue]) {
    inFlight.set(keyOf(message), { at: clock.now(), dueAt: message.nextAt.getTime() });
  }
  return dispatched;
}

/** What is due of an integration, of that what may go now, and what has been in flight for too long. */
interface Look {
  key: string;
  found: DueMessage[];
  fresh: DueMessage[];
  overdue: DueMessage[];
}

async function lookAt(
  key: string,
  trouble: IntegrationTrouble | undefined,
  deps: DueDeps,
  { inFlight, flow, clock = performance }: DueOptions,
): Promise<Look> {
  const now = deps.now();
  const [accountId = "", id] = (key ?? "").split("/");
  const integration = await deps.findIntegration(accountId, Number(id));
  const limit = flow.inFlight(key) + flow.windowOf(key) + MAX_EXPIRED;
  const found = await deps.dueMessages(key, { now, limit });
  const knownOf = (message: DueMessage) => inFlight.get(keyOf(message));
  for (const message of found) {
    const { _id: messageId, attempt, nextAt } = message;
    const known = knownOf(message);
    if (known !== undefined && known.dueAt >= nextAt.getTime()) continue;
    // If it was in flight, whoever dispatched it, it came back.
    inFlight.delete(keyOf(message));
    flow.giveBack({ messageId, attempt });
  }
  const room = roomFor({
    ...{ integration, trouble, now },
    ...{ inFlight: flow.inFlight(key), window: flow.windowOf(key) },
  });
  const retryForMs = integration?.retryForMs ?? Infinity;
  const isExpired = ({ acceptedAt }: DueMessage) =>
    now.getTime() - acceptedAt.getTime() >= retryForMs;
  const unsent = found.filter((message) => knownOf(message) === undefined);
  const fresh = [
    ...unsent.filter(isExpired).slice(0, MAX_EXPIRED),
    ...unsent.filter((message) => !isExpired(message)).slice(0, room),
  ];
  const overdue = found.filter((message) =>
    clock.now() - (knownOf(message)?.at ?? Infinity) >= deps.patienceMs
  );
  return { key, found, fresh, overdue };
}

/** What came back has waited, and may come back again: it must not hold up what has not. */
function priorityOf({ priority }: SendHead, { waitsFor }: DueMessage): Priority {
  return typeof waitsFor === "string" ? "bulk" : priority;
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
    for (const [priority, part] of Map.groupBy(due, (message) => priorityOf(head, message))) {
      for (const event of dispatchesAgain({ ...head, priority }, part)) {
        await deps.publish(event, head.trace);
      }
    }
  }
  crashPoint("tracker.after_due");
  count("posthaste.due.dispatched", messages.length);
  return messages.length;
}
