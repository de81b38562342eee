import { type Integration, messageIdOf, newSendId, type Send } from "@posthaste/contracts";
import { advance, beginVoid } from "@posthaste/delivery";
import { openTestMongo, testSend } from "@posthaste/kit";
import type { Outgoing } from "@posthaste/messaging";
import { type AttemptOutcome, type IntegrationCircuit, openStore } from "@posthaste/storage";
import { dispatchRound } from "./dispatch_round.ts";
import { failOverdue, type Searches } from "./fail_overdue.ts";
import { openFlow } from "./flow.ts";
import { requeueReturned } from "./requeue_returned.ts";

/** The time at which a test scheduler begins. */
export const NOW = new Date("2026-03-01T12:00:00Z");
export const HOUR = 3_600_000;

/** The sender of a send that names none. */
export const SHOP = "shop@example.com";

/** A server refused the login. */
export const STOPPED = { suspended: { at: NOW, reason: "no login", kind: "refused" as const } };

/** Returns a time before {@linkcode NOW}. */
export function ago(ms: number): Date {
  return new Date(NOW.getTime() - ms);
}

/** Returns the state of a circuit that opened, and lets one message through from a time on. */
export function circuitOf(id: number, openUntil: Date): IntegrationCircuit {
  return { _id: `acc_1/${id}`, failures: 5, reason: "gone", openUntil };
}

/** Fields of a send, and its sender. */
type Changes = Partial<Send> & { from?: { email: string } };

/** An integration of the account `acc_1`. */
type Given = Partial<Integration> & { id: number };

/**
 * Opens a scheduler on a real ledger, with integrations and circuits in memory. Its time stands still, except in
 * `pass()`.
 */
export async function openTestScheduler(
  given: readonly Given[],
  { circuits = [], firstWidth = 10 }: { circuits?: IntegrationCircuit[]; firstWidth?: number } = {},
) {
  await using opening = new AsyncDisposableStack();
  const { url, isMigrated, copy } = opening.use(await openTestMongo({ migrates: true }));
  const store = opening.use(await openStore({ url }));
  if (!isMigrated) await store.ensureIndexes();
  const integrations = new Map(given.map((one) => [
    one.id,
    {
      ...{ _id: `acc_1/${one.id}`, suspended: null, maxPerMinute: null, retryForMs: 48 * HOUR },
      ...{ whenUnknown: "retry", fallbacks: [], senders: [SHOP], archivedAt: null },
      ...one,
    } as unknown as Integration,
  ]));
  let passedMs = 0;
  const flow = openFlow({ patienceMs: 60_000, firstWidth, clock: { now: () => passedMs } });
  let published: Outgoing[] = [];
  const deps = {
    ...store,
    integrations: {
      find: (_: string, id: number) => Promise.resolve(integrations.get(id) ?? null),
    },
    circuits: { ...store.circuits, list: () => Promise.resolve(circuits) },
    publish: (outgoing: Outgoing) => Promise.resolve(void published.push(outgoing)),
    patienceMs: 60_000,
    now: () => new Date(NOW.getTime() + passedMs),
    logger: { warn: () => {} },
  };
  const searches: Searches = new Map();
  const { signal } = new AbortController();

  /** Accepts a send. */
  async function accept({ from = { email: SHOP }, ...changes }: Changes = {}): Promise<Send> {
    const send = testSend({ acceptedAt: NOW, integrationId: 4, priority: "bulk", ...changes });
    send.request.from = from;
    await store.sends.accept(send);
    return send;
  }

  async function wait(changes: Changes = {}): Promise<Send> {
    const send = await accept({ ...changes, next: 0 });
    await store.waiting.queueSend(send);
    return send;
  }

  /** Takes the events of a type that were published. */
  function taken<T extends Outgoing["type"]>(type: T) {
    const isWanted = (event: Outgoing): event is Outgoing & { type: T } => event.type === type;
    const wanted = published.filter(isWanted);
    published = published.filter((event) => !isWanted(event));
    return wanted;
  }

  const disposing = opening.move();
  return {
    [Symbol.asyncDispose]: () => disposing.disposeAsync(),
    ...{ store, deps, flow, accept },
    async schedule() {
      await requeueReturned(flow, deps);
      return await dispatchRound(deps, { flow, due: [] });
    },
    /** Runs a round that also looks for due messages. */
    async due() {
      return await dispatchRound(deps, {
        flow,
        due: await deps.waiting.integrationsDue(deps.now()),
      });
    },
    failOverdue: () => failOverdue(deps, { flow, searches, signal }),
    pass: (ms: number) => void (passedMs += ms),
    /** Accepts a send that waits for its integration. */
    wait,
    /** Accepts many such sends, which differ in their ids alone. */
    async waitMany(count: number, changes: Changes = {}) {
      const { _id: id, accountId, acceptedAt } = await wait(changes);
      const others = Array.from({ length: count - 1 }, () => ({
        _id: newSendId(accountId, acceptedAt),
      }));
      await copy({ collection: "sends", id }, others);
    },
    /** Accepts a send whose messages are deferred after one attempt. */
    async defer(
      changes: Changes & {
        nextAt?: Date;
        /** The integration whose server was not reached. */
        unreached?: number;
        /** The documents have no sender, as those of an earlier version. */
        isSenderUnknown?: boolean;
      } = {},
    ) {
      const { nextAt = NOW, unreached, isSenderUnknown = false, ...given } = changes;
      const send = await accept(given);
      const { _id: sendId, accountId, integrationId, acceptedAt, request } = send;
      await Promise.all(request.to.map(async ({ email }, index) => {
        const outcome: AttemptOutcome = {
          ...{ state: "deferred", at: acceptedAt, nextAt, reason: "busy", lines: [] },
          ...(unreached === undefined ? {} : { unreached }),
        };
        const ledger = store.registers.ledgerOf({
          ...{ messageId: messageIdOf(sendId, index), sendId, accountId, index, email, acceptedAt },
          integration: `${accountId}/${integrationId}`,
          from: isSenderUnknown ? undefined : request.from.email,
        });
        await advance(beginVoid({ n: 1, by: "a mailer", outcome }), ledger);
      }));
      return send;
    },
    /** Takes the messages to be sent that were published: `by` is the integration, if not their own. */
    take: () =>
      taken("send.resumed").flatMap(({ data }) =>
        data.again.map(({ index, attempt }) => ({
          ...{ sendId: data.sendId, by: data.integrationId, attempt },
          ...{ priority: data.priority, redelivered: data.redelivered },
          messageId: messageIdOf(data.sendId, index),
        }))
      ),
    /** Takes the sends of the messages that were published as failed. */
    takeFailed: () =>
      taken("status.message.failed").flatMap(({ data }) =>
        data.outcomes.map(({ sendId }) => sendId)
      ),
  };
}
