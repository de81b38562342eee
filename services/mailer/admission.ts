import { setTimeout as delay } from "node:timers/promises";
import type { Integration, Priority } from "@posthaste/contracts";
import {
  circuitCapacity,
  openSemaphore,
  reserveToken,
  type Semaphore,
  type TokenBucket,
} from "@posthaste/limits";
import type { IntegrationCircuit } from "@posthaste/storage";
import { type Peers, type Share, shareOf } from "./share.ts";

/** What the admission needs from outside. */
export interface AdmissionDeps {
  /** The mailers that share what an integration allows. */
  peers(): Peers;
  /** Circuit state of a server that was unreachable recently. */
  circuitOf(integrationId: string): IntegrationCircuit | undefined;
  now(): Date;
  /** A monotonic clock in milliseconds, for rates. @default {performance} */
  clock?: { now(): number };
  /** Aborts when the process is about to end: from then on it begins no mail. */
  lastCall: AbortSignal;
}

/** The permission to begin an SMTP transaction. */
export interface Permit {
  /** Maximum number of connections of this process to the server. */
  readonly connections: number;
  /** Call it when the transaction has ended. Later calls do nothing. */
  leave(): void;
  /** Call it instead if there was no transaction: its time tells nothing of the server. */
  giveBack(): void;
}

/**
 * Verdict about a mail. It is sent now; it goes to another mailer, because this one has none of the
 * integration's connections or nothing of its rate; or it goes back to the scheduler until there is capacity.
 */
export type AdmissionResult = Permit | "elsewhere" | "later";

/** Prevents the mails of one integration from filling all places of a mailer. */
export interface Admission {
  /**
   * Waits for capacity, for at most eight seconds.
   *
   * @param priority Of those that wait, bulk mail gets every fourth place while there is other mail.
   */
  admit(integration: Integration, priority: Priority): Promise<AdmissionResult>;
  /** Admits no mail of the integration for some seconds. */
  block(integration: Integration): void;
}

/**
 * Wait for a place and for the rate above which a mail goes back to the scheduler, in milliseconds. It may wait as long
 * for a connection, and both together are less than the time after which the reconciler takes a small send for lost
 * (`RECONCILE_GRACE`). A waiting mail holds bytes, and a place of others only while the memory is full. The scheduler keeps
 * much less work in flight for each server, but small sends bypass it.
 */
export const MAX_WAIT_MS = 8000;

/** Admitted mails for each connection: while one is transmitted, the next one is composed. */
const PERMITS_PER_CONNECTION = 2;

/** Longer than {@linkcode cachedIntegrations} caches an integration, in milliseconds. */
const BLOCK_MS = 6000;

/** Time whose share of the rate may pass as a burst. */
const BURST_MS = 1000;

/** Weight of the newest transaction in the average. */
const WEIGHT = 0.2;

/** State of one integration. */
interface Traffic {
  places: Semaphore;
  /** The current transactions, the oldest first. */
  begun: Set<{ at: number }>;
  /** When the last one ended. */
  leftAt: number;
  averageMs: number;
  bucket: TokenBucket;
  /** By the monotonic clock. */
  blockedUntil: number;
}

/**
 * Opens the admission in front of the SMTP servers. A mail passes if its integration is not suspended, the
 * circuit of its server is closed, the rate is not used up, and a connection is free now or soon. The
 * estimate uses the times of the last transactions, and for how long none has ended.
 */
export function openAdmission(deps: AdmissionDeps): Admission {
  const { clock = performance } = deps;
  const traffics = new Map<string, Traffic>();

  function trafficOf(key: string): Traffic {
    let traffic = traffics.get(key);
    if (traffic === undefined) {
      const places = openSemaphore({ max: 0 });
      // It may begin with one mail, not with a burst: others may have begun, too.
      const bucket = { tokens: 1, filledAt: clock.now() };
      traffic = {
        ...{ places, begun: new Set(), leftAt: -Infinity, averageMs: 0, bucket },
        blockedUntil: -Infinity,
      };
      traffics.set(key, traffic);
    }
    return traffic;
  }

  // Grants all that waits: the check after the wait sends it back untried. Its connection would be closed.
  deps.lastCall.addEventListener("abort", () => {
    for (const { places } of traffics.values()) places.resize(Infinity);
  }, { once: true });

  return {
    block(integration) {
      trafficOf(integration._id).blockedUntil = clock.now() + BLOCK_MS;
    },
    async admit(integration, priority) {
      const { _id: key, suspended } = integration;
      const traffic = trafficOf(key);
      const { places } = traffic;
      const isBlocked = (inFlight: number) => {
        const circuit = deps.circuitOf(key);
        // After a pause one mail is a probe, and the others wait for its result.
        return deps.lastCall.aborted || clock.now() < traffic.blockedUntil ||
          circuit !== undefined && circuitCapacity(circuit, { now: deps.now(), inFlight }) <= 0;
      };
      const share = () => shareOf(integration, deps.peers());
      if (suspended !== null || isBlocked(places.held)) return "later";
      const before = share().connections;
      if (before === 0) return "elsewhere";
      places.resize(before * PERMITS_PER_CONNECTION);
      const since = clock.now();
      using waited = new DisposableStack();
      const place = waited.use(await takePlace(traffic, priority));
      // The rate last: a mail that waits for a place uses nothing of it.
      const maxWaitMs = Math.max(0, MAX_WAIT_MS - (clock.now() - since));
      const { lastCall } = deps;
      const isInTime = place &&
        await waitForToken(traffic, share(), { clock, maxWaitMs, lastCall });
      // While it waited, another mailer may have joined, its server may have refused a login or become unreachable, and
      // this process may have to end.
      if (isBlocked(places.held - 1)) return "later";
      const { connections } = share();
      if (connections === 0) return "elsewhere";
      return isInTime ? { connections, ...begin(traffic, waited.move()) } : "later";
    },
  };
}

/** Takes a place among the transactions of an integration, unless the wait for it would be too long. */
async function takePlace(
  traffic: Traffic,
  priority: Priority,
): Promise<Disposable | undefined> {
  const { places } = traffic;
  const place = places.tryAcquire();
  if (place !== undefined) return place;
  if (waitMsFor(traffic, priority) > MAX_WAIT_MS) return undefined;
  return await places.acquire("", { priority, maxWaitMs: MAX_WAIT_MS });
}

/** Begins a transaction, which holds a place. */
function begin(traffic: Traffic, place: Disposable): Omit<Permit, "connections"> {
  const { begun } = traffic;
  const transaction = { at: performance.now() };
  begun.add(transaction);
  const giveBack = () => {
    begun.delete(transaction);
    place[Symbol.dispose]();
  };
  return {
    giveBack,
    leave() {
      if (!begun.has(transaction)) return;
      traffic.leftAt = performance.now();
      traffic.averageMs += WEIGHT * (traffic.leftAt - transaction.at - traffic.averageMs);
      giveBack();
    },
  };
}

/** Estimated from the times of the last transactions, which end one after the other, and from how long none has ended. */
function waitMsFor({ places, begun, averageMs, leftAt }: Traffic, priority: Priority): number {
  const [oldest] = begun;
  const quietMs = oldest === undefined ? 0 : performance.now() - Math.max(oldest.at, leftAt);
  const ends = places.waitersBefore(priority) + 1;
  return Math.max(averageMs * (ends / places.max), quietMs);
}

/** Waits for the token of a mail. Returns false if that would be too long. */
async function waitForToken(
  { bucket }: Traffic,
  { perMinute }: Share,
  { clock, maxWaitMs, lastCall: signal }: {
    clock: { now(): number };
    maxWaitMs: number;
    lastCall: AbortSignal;
  },
): Promise<boolean> {
  if (perMinute === Infinity) return true;
  const perMs = perMinute / 60_000;
  // At least one: no minute has more than the rate and one second's worth.
  const rate = { perMs, burst: Math.max(1, perMs * BURST_MS) };
  const waitMs = reserveToken(bucket, rate, { now: clock.now(), maxWaitMs });
  // At the last call, its mail goes back.
  if (waitMs) await delay(waitMs, undefined, { signal }).catch(() => {});
  return waitMs !== undefined;
}
