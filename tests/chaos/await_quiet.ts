import { setTimeout as delay } from "node:timers/promises";
import { findFeedFaults, readFeed } from "./records/feed.ts";
import type { BrokerLedger, FeedEvent, ServiceLedger } from "./records/records.ts";
import { isFinal, lateSends, openMailsOf } from "./records/open_mails.ts";
import {
  countStates,
  maxAttempts,
  readBrokerLedger,
  readServiceLedger,
} from "./records/read_records.ts";
import type { Quiet } from "./records/reconcile.ts";
import { timeBoundOf } from "./records/time_bound.ts";
import type { Fixture } from "./fixture/fixture.ts";

/** The conditions of quiet, and the time for them. */
export interface QuietOptions {
  accountId: string;
  /** Whether a person decides about unknown outcomes: then sends are not settled. */
  hold: boolean;
  /** How long faults were injected. */
  faultsMs: number;
  /** Additional time for late mails. */
  quietMs: number;
  onProgress(line: string): void;
}

const PAUSE_MS = 400;

/**
 * After a partition, a broker may keep events that are finished. The tracker removes what it finds finished in two
 * looks, which are a minute apart.
 */
const FINISHED_EVENTS_MS = 2 * 60_000 + 10_000;

/**
 * Waits from the end of the last fault until every mail has ended and the broker holds nothing. It only
 * reads: it changes nothing in the system, and shortens no wait.
 */
export async function awaitQuiet(fixture: Fixture, options: QuietOptions): Promise<Quiet> {
  const { accountId, quietMs, onProgress } = options;
  const started = performance.now();
  const elapsedMs = () => performance.now() - started;
  const boundMs = await boundOf(fixture, options);
  const quiet: Quiet = { boundMs, lastMs: undefined, late: [] };
  let [isLate, fewest, deadlineMs] = [false, Infinity, boundMs];
  for (;; await delay(PAUSE_MS)) {
    const open = await countOpen(fixture, accountId);
    if (open?.count === 0) break;
    if (open !== undefined && open.count < fewest) {
      fewest = open.count;
      if (isLate) deadlineMs = elapsedMs() + quietMs;
    }
    onProgress(`waits for ${open?.what ?? "the servers"}`);
    if (elapsedMs() < deadlineMs) continue;
    if (isLate) return quiet;
    isLate = true;
    deadlineMs = elapsedMs() + quietMs;
    quiet.late = openMailsOf(await readServiceLedger(fixture.mongo, accountId));
  }
  quiet.lastMs = elapsedMs();
  // Settled sends and their events are not mail that is still waited for.
  const limitMs = Math.max(boundMs + quietMs, quiet.lastMs + FINISHED_EVENTS_MS);
  while (!await isSettled(fixture, options).catch(() => false) && elapsedMs() < limitMs) {
    onProgress("waits for what is left over");
    await delay(PAUSE_MS);
  }
  return quiet;
}

/** The bound follows from what is left when the last fault ends. */
async function boundOf(fixture: Fixture, { accountId, faultsMs }: QuietOptions): Promise<number> {
  const read = async () => ({
    open: (await countOpen(fixture, accountId))?.count ?? 0,
    attempts: await maxAttempts(fixture.mongo, accountId),
  });
  const left = await read().catch(() => delay(PAUSE_MS).then(read));
  return timeBoundOf(fixture.waits, { faultsMs, ...left });
}

async function countOpen(
  { mongo }: Fixture,
  accountId: string,
): Promise<{ count: number; what: string } | undefined> {
  const states = await countStates(mongo, accountId).catch(() => undefined);
  // The servers may still be starting.
  if (states === undefined) return undefined;
  const open = Object.entries(states).filter(([state, count]) => count > 0 && !isFinal(state));
  return {
    count: open.reduce((sum, [, count]) => sum + count, 0),
    what: open.map(([state, count]) => `${count} ${state}`).join(", "),
  };
}

/** Returns the health of each service, to find the reason. */
export async function describeHealth({ pods }: Fixture): Promise<string> {
  const said = pods.running().map(async ({ name, process: { pid, healthUrl } }) => {
    const signal = AbortSignal.timeout(3000);
    const ready = await fetch(`${healthUrl}/readyz`, { signal }).then(
      ({ status }) => String(status),
      (error) => String(error),
    );
    return `${name} (${pid}) ${ready}`;
  });
  return (await Promise.all(said)).join(", ");
}

async function isSettled(fixture: Fixture, { accountId, hold }: QuietOptions): Promise<boolean> {
  // First the publishers, then the published events.
  const service = await readServiceLedger(fixture.mongo, accountId);
  if (lateSends(service, { hold }).length > 0) return false;
  return isEmpty(await readBrokerLedger(fixture.natsUrl));
}

/**
 * Reads what the broker still holds when all is quiet. The status event of a finished mail may come late: its
 * publisher waits for a stream that was removed, which shows only when the event is there.
 */
export async function readQuietBroker(fixture: Fixture): Promise<BrokerLedger> {
  const deadline = performance.now() + LATE_FACT_MS;
  for (;;) {
    const ledger = await readBrokerLedger(fixture.natsUrl);
    if (isEmpty(ledger) || performance.now() > deadline) return ledger;
    await delay(400);
  }
}

/** Two attempts to publish a status event, 5 s each, and its wait for others. */
const LATE_FACT_MS = 15_000;

function isEmpty({ streams, consumers }: BrokerLedger): boolean {
  return Object.values(streams).every((messages) => messages === 0) &&
    Object.values(consumers).every(({ unsettled, waiting }) => unsettled + waiting === 0);
}

/** Reads the feed of an account. What a recorder lost, the tracker adds when it looks at the send again. */
export async function readQuietFeed(
  { mongo }: Fixture,
  accountId: string,
  service: ServiceLedger,
): Promise<FeedEvent[]> {
  const deadline = performance.now() + LATE_EVENT_MS;
  for (;;) {
    const feed = await readFeed(mongo, accountId);
    if (findFeedFaults(feed, service).length === 0 || performance.now() > deadline) return feed;
    await delay(400);
  }
}

const LATE_EVENT_MS = 15_000;
