import { setTimeout as delay } from "node:timers/promises";
import { type Integration, type Lane, PARKING_REASON } from "@posthaste/contracts";
import { takeTokens, type TokenBucket } from "@posthaste/limits";
import { type IntegrationTrouble, reasonOfTrouble } from "@posthaste/storage";
import { type Crew, shareOf } from "./share.ts";

/** What the gate needs from the outside. */
export interface GateDeps {
  /** The mailers that share what an integration allows. */
  crew(): Crew;
  /** What is known about a server that could not be reached lately. */
  troubleOf(integrationId: string): IntegrationTrouble | undefined;
  now(): Date;
}

/** How a transaction went, for those that come after it. */
export interface Passage {
  /** The connections that this process may have open to the server. */
  readonly connections: number;
  /** To be called once, when the transaction is over. */
  leave(): void;
}

/**
 * Whether a mail may be sent now, is for another mailer, since this one has none of the integration's
 * connections, or must wait in the ledger, and a sentence that says why.
 */
export type Admission = Passage | "elsewhere" | { parked: string };

/** Keeps the mails of one integration from filling all the places of a mailer. */
export interface Gate {
  /** Waits a moment for room, as long as mail of its lane may hold a place of others. */
  admit(integration: Integration, lane: Lane): Promise<Admission>;
  /** Admits no mail of the integration for some seconds, for a reason (`PARKING_REASON`). */
  block(integration: Integration, reason: string): void;
}

/**
 * A mail that would wait longer than this, in milliseconds, is parked: it must not hold a place of
 * others. In the bulk lane nobody waits for a single mail, and parking costs a second rendering.
 */
const LONGEST_WAIT_MS = { transactional: 1000, bulk: 2000 } as const satisfies Record<Lane, number>;

/** Longest wait for the turn that a rate allows, in milliseconds. */
const LONGEST_PAUSE_MS = 1000;

/** While one mail is on the wire, the next ones of the same connection are made and claimed. */
const PASSAGES_PER_CONNECTION = 2;

/** As long as an integration is remembered as it was: {@linkcode openIntegrationCache}. */
const BLOCK_MS = 6000;

/** A mail passes at once as often as the rate allows in so long. */
const BURST_MS = 1000;

/** How much the newest transaction counts in the average. */
const WEIGHT = 0.2;

/** A mail that waits for a place. */
interface Waiter {
  connections: number;
  resolve(passage: Passage | undefined): void;
}

/** What goes on at one integration. */
interface Traffic {
  /** The current transactions, the oldest first. */
  begun: Set<{ at: number }>;
  /** The first comes first; each is told its passage, or that there is none in time. */
  waiting: Waiter[];
  averageMs: number;
  bucket: TokenBucket;
  blocked: { until: number; reason: string } | undefined;
}

/**
 * Opens a gate in front of the SMTP servers. A mail passes if its integration is not suspended, its
 * server not left alone (circuit breaker), the rate not used up, and a connection free or soon to be:
 * by what the last transactions took, and by how long the current ones have taken so far.
 */
export function openGate(deps: GateDeps): Gate {
  const traffics = new Map<string, Traffic>();

  function trafficOf(key: string): Traffic {
    let traffic = traffics.get(key);
    if (traffic === undefined) {
      const bucket = { tokens: 1, filledAt: 0 };
      traffic = { begun: new Set(), waiting: [], averageMs: 0, bucket, blocked: undefined };
      traffics.set(key, traffic);
    }
    return traffic;
  }

  function begin(traffic: Traffic, connections: number): Passage {
    const transaction = { at: performance.now() };
    traffic.begun.add(transaction);
    return {
      connections,
      leave() {
        if (!traffic.begun.has(transaction)) return;
        traffic.averageMs += WEIGHT * (performance.now() - transaction.at - traffic.averageMs);
        traffic.begun.delete(transaction);
        const next = traffic.waiting.shift();
        // At once: nobody who comes now may find the place free.
        next?.resolve(begin(traffic, next.connections));
      },
    };
  }

  return {
    block(integration, reason) {
      trafficOf(integration._id).blocked = { until: deps.now().getTime() + BLOCK_MS, reason };
    },
    async admit(integration, lane) {
      const { _id: key, maxConnections, maxPerMinute, suspended } = integration;
      const traffic = trafficOf(key);
      const closed = closedBy(traffic, {
        suspended,
        trouble: deps.troubleOf(key),
        now: deps.now(),
      });
      if (closed !== undefined) return { parked: closed };
      const connections = shareOf(maxConnections, deps.crew(), key);
      if (connections === 0) return "elsewhere";
      if (maxPerMinute !== null && !await hasToken(traffic, maxPerMinute, deps)) {
        return { parked: PARKING_REASON.rate };
      }
      const longestMs = LONGEST_WAIT_MS[lane];
      return await takePlace(traffic, { connections, longestMs, begin }) ??
        { parked: PARKING_REASON.busy };
    },
  };
}

function closedBy(
  { blocked, begun }: Traffic,
  { suspended, trouble, now }: {
    suspended: Integration["suspended"];
    trouble: IntegrationTrouble | undefined;
    now: Date;
  },
): string | undefined {
  if (suspended !== null) return PARKING_REASON.suspended(suspended.reason);
  if (blocked !== undefined && now.getTime() < blocked.until) {
    return blocked.reason;
  }
  // Not by its failures: who counts the last of them may be lost before it has noted the pause.
  if (trouble === undefined || trouble.openUntil === null) return undefined;
  // After a pause one mail goes ahead, and the others wait for what it finds.
  const mayProbe = trouble.openUntil <= now && begun.size === 0;
  return mayProbe ? undefined : reasonOfTrouble(trouble);
}

interface Place {
  connections: number;
  longestMs: number;
  begin(traffic: Traffic, connections: number): Passage;
}

/** Takes a place among the transactions of an integration, unless the wait for it would be too long. */
async function takePlace(
  traffic: Traffic,
  { connections, longestMs, begin }: Place,
): Promise<Passage | undefined> {
  const places = connections * PASSAGES_PER_CONNECTION;
  if (traffic.begun.size < places && traffic.waiting.length === 0) {
    return begin(traffic, connections);
  }
  const [oldest] = traffic.begun;
  const soFarMs = oldest === undefined ? 0 : performance.now() - oldest.at;
  const transactionMs = Math.max(traffic.averageMs, soFarMs);
  const rounds = Math.ceil((traffic.waiting.length + 1) / places);
  if (transactionMs * rounds > longestMs) return undefined;
  const { promise, resolve } = Promise.withResolvers<Passage | undefined>();
  const waiter: Waiter = { connections, resolve };
  traffic.waiting.push(waiter);
  const timer = setTimeout(() => {
    const position = traffic.waiting.indexOf(waiter);
    if (position >= 0) traffic.waiting.splice(position, 1);
    resolve(undefined);
  }, longestMs);
  const passage = await promise;
  clearTimeout(timer);
  return passage;
}

async function hasToken(traffic: Traffic, maxPerMinute: number, deps: GateDeps): Promise<boolean> {
  const { position, count } = deps.crew();
  const perMs = maxPerMinute / count / 60_000;
  // At least one, so that no minute sees more than the rate and one second's worth.
  const rate = { perMs, burst: Math.max(1, perMs * BURST_MS) };
  const waitMs = takeTokens(traffic.bucket, rate, { now: deps.now().getTime() });
  if (waitMs === 0) return true;
  if (waitMs > LONGEST_PAUSE_MS) return false;
  // A position of its own spreads processes that wait for the same moment.
  await delay(waitMs + position);
  return takeTokens(traffic.bucket, rate, { now: deps.now().getTime() }) === 0;
}
