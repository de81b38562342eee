import { type Fill, type QueueAge, queueAttributes } from "@posthaste/messaging";
import { repeat } from "@posthaste/runtime";
import type { LedgerState, StorePart } from "@posthaste/storage";
import { type Logger, observe } from "@posthaste/telemetry";

/** The dependencies of the watch. */
export type WatchDeps =
  & StorePart<"statistics.ledgerState">
  & {
    queueAges(): Promise<QueueAge[]>;
    fills(): Promise<Fill[]>;
    now(): Date;
    logger: Pick<Logger, "warn">;
  };

const QUEUES_EVERY_MS = 10_000;
const LEDGER_EVERY_MS = 20_000;

/** Age after which a value is no longer reported: it would look current. */
const STALE_MS = 60_000;

/**
 * Reads the queue of each stage, the use of the broker, and the waiting messages in the ledger every few
 * seconds, and reports them as metrics, until the signal aborts. Every tracker reports the same: take the
 * maximum, not the sum.
 */
export async function watchPipeline(deps: WatchDeps, signal: AbortSignal): Promise<void> {
  const queues = recent<QueueAge[]>(deps);
  const streams = recent<Fill[]>(deps);
  const ledger = recent<LedgerState>(deps);
  using observers = new DisposableStack();
  reportQueues(observers, queues, deps);
  reportStreams(observers, streams);
  reportLedger(observers, ledger);
  const watching = {
    failure: "Cannot read the state of the pipeline, retrying",
    logger: deps.logger,
    signal,
  };
  await Promise.all([
    repeat(async () => {
      queues.set(await deps.queueAges());
      streams.set(await deps.fills());
    }, { everyMs: QUEUES_EVERY_MS, ...watching }),
    repeat(async () => ledger.set(await deps.statistics.ledgerState(deps.now())), {
      everyMs: LEDGER_EVERY_MS,
      ...watching,
    }),
  ]);
}

interface Recent<T> {
  set(value: T): void;
  get(): T | undefined;
}

function recent<T>({ now }: Pick<WatchDeps, "now">): Recent<T> {
  let held: { value: T; at: number } | undefined;
  return {
    set: (value) => void (held = { value, at: now().getTime() }),
    get: () => held && now().getTime() - held.at < STALE_MS ? held.value : undefined,
  };
}

function reportQueues(
  observers: DisposableStack,
  queues: Recent<QueueAge[]>,
  { now }: Pick<WatchDeps, "now">,
): void {
  const each = (valueOf: (queue: QueueAge) => number) => () =>
    (queues.get() ?? []).map((queue) => ({
      value: valueOf(queue),
      attributes: queueAttributes(queue.plan),
    }));
  observers.use(observe("posthaste.queue.messages", each(({ messages }) => messages)));
  observers.use(observe(
    "posthaste.queue.oldest_age",
    each(({ oldestAt }) =>
      oldestAt === null ? 0 : Math.max(0, now().getTime() - oldestAt.getTime()) / 1000
    ),
  ));
}

function reportStreams(observers: DisposableStack, streams: Recent<Fill[]>): void {
  const each = (valueOf: (fill: Fill) => number) => () =>
    (streams.get() ?? []).map((fill) => ({
      value: valueOf(fill),
      attributes: { "posthaste.stream": fill.name, "posthaste.stream.kind": fill.kind },
    }));
  observers.use(observe("posthaste.stream.size", each(({ bytes }) => bytes)));
  observers.use(observe("posthaste.stream.limit", each(({ maxBytes }) => maxBytes)));
}

function reportLedger(observers: DisposableStack, ledger: Recent<LedgerState>): void {
  const each = <const Name extends "waiting" | "unknown" | "unreachable" | "failing" | "suspended">(
    names: readonly Name[],
  ) =>
  () => {
    const state = ledger.get();
    if (state === undefined) return [];
    const counts = { ...state, suspended: state.suspended.length };
    return names.map((name) => ({
      value: counts[name],
      attributes: { "posthaste.state": name },
    }));
  };
  observers.use(observe("posthaste.integrations", each(["unreachable", "failing", "suspended"])));
  observers.use(observe("posthaste.messages", each(["waiting", "unknown"])));
  const disk = (field: "used" | "size") => () => {
    const found = ledger.get()?.disk;
    return found ? [{ value: found[field] }] : [];
  };
  observers.use(observe("posthaste.ledger.disk.usage", disk("used")));
  observers.use(observe("posthaste.ledger.disk.limit", disk("size")));
}
