import { setTimeout as delay } from "node:timers/promises";
import type { Integration } from "@posthaste/contracts";
import type { IntegrationTrouble } from "@posthaste/storage";
import { FAILURES_TO_OPEN } from "./breaker.ts";
import { type Pace, takeToken } from "./pace.ts";
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

/** Whether a mail may be sent now, or a sentence that says why it must wait in the ledger. */
export type Admission = Passage | { parked: string };

/** Keeps the mails of one integration from filling all the places of a mailer. */
export interface Gate {
  /** Waits up to a second for room. */
  admit(integration: Integration): Promise<Admission>;
  /** Admits no mail of the integration for some seconds: its login was refused a moment ago. */
  block(integration: Integration, reason: string): void;
}

/** A mail that would wait longer than this is parked: it must not hold a place of others. */
const LONGEST_WAIT_MS = 1000;

/** While one mail is on the wire, the next ones of the same connection are made and claimed. */
const PASSAGES_PER_CONNECTION = 3;

/** As long as an integration is remembered as it was: {@linkcode openIntegrationCache}. */
const BLOCK_MS = 6000;

/** How much the newest transaction counts in the average. */
const WEIGHT = 0.2;

/** What goes on at one integration. */
interface Lane {
  /** The current transactions, the oldest first. */
  begun: Set<{ at: number }>;
  waiting: PromiseWithResolvers<boolean>[];
  averageMs: number;
  pace: Pace;
  blocked: { until: number; reason: string } | undefined;
}

/**
 * Opens a gate in front of the SMTP servers. A mail passes if its integration is not suspended, its
 * server not left alone (circuit breaker), the rate not used up, and a connection free or soon to be:
 * by what the last transactions took, and by how long the current ones have taken so far.
 */
export function openGate(deps: GateDeps): Gate {
  const lanes = new Map<string, Lane>();

  function laneOf(key: string): Lane {
    let lane = lanes.get(key);
    if (lane === undefined) {
      const pace = { tokens: 1, at: 0 };
      lane = { begun: new Set(), waiting: [], averageMs: 0, pace, blocked: undefined };
      lanes.set(key, lane);
    }
    return lane;
  }

  function begin(lane: Lane, connections: number): Passage {
    const transaction = { at: performance.now() };
    lane.begun.add(transaction);
    return {
      connections,
      leave() {
        if (!lane.begun.has(transaction)) return;
        lane.averageMs += WEIGHT * (performance.now() - transaction.at - lane.averageMs);
        lane.begun.delete(transaction);
        lane.waiting.shift()?.resolve(true);
      },
    };
  }

  return {
    block(integration, reason) {
      laneOf(integration._id).blocked = { until: deps.now().getTime() + BLOCK_MS, reason };
    },
    async admit(integration) {
      const { _id: key, maxConnections, maxPerMinute, suspended } = integration;
      const lane = laneOf(key);
      const closed = closedBy(lane, { suspended, trouble: deps.troubleOf(key), now: deps.now() });
      if (closed !== undefined) return { parked: closed };
      const connections = shareOf(maxConnections, deps.crew(), key);
      if (connections === 0) return { parked: BUSY };
      if (maxPerMinute !== null && !await hasToken(lane, maxPerMinute, deps)) {
        return { parked: "The integration's rate limit is reached" };
      }
      return await hasRoom(lane, connections) ? begin(lane, connections) : { parked: BUSY };
    },
  };
}

const BUSY = "The SMTP server is busy with other mail of this integration";

function closedBy(
  { blocked, begun }: Lane,
  { suspended, trouble, now }: {
    suspended: Integration["suspended"];
    trouble: IntegrationTrouble | undefined;
    now: Date;
  },
): string | undefined {
  if (suspended !== null) return suspendedFor(suspended.reason);
  if (blocked !== undefined && now.getTime() < blocked.until) return suspendedFor(blocked.reason);
  if (trouble === undefined || trouble.failures < FAILURES_TO_OPEN) return undefined;
  // After a pause one mail goes ahead, and the others wait for what it finds.
  const mayProbe = trouble.openUntil !== null && trouble.openUntil <= now && begun.size === 0;
  return mayProbe ? undefined : `The SMTP server cannot be reached: ${trouble.reason}`;
}

function suspendedFor(reason: string): string {
  return `The integration is suspended: ${reason}`;
}

/** Waits for a place among the transactions of an integration, unless that would take too long. */
async function hasRoom(lane: Lane, connections: number): Promise<boolean> {
  const places = connections * PASSAGES_PER_CONNECTION;
  if (lane.begun.size < places && lane.waiting.length === 0) return true;
  const [oldest] = lane.begun;
  const soFarMs = oldest === undefined ? 0 : performance.now() - oldest.at;
  const transactionMs = Math.max(lane.averageMs, soFarMs);
  const rounds = Math.ceil((lane.waiting.length + 1) / places);
  if (transactionMs * rounds > LONGEST_WAIT_MS) return false;
  const waiter = Promise.withResolvers<boolean>();
  lane.waiting.push(waiter);
  const timer = setTimeout(() => {
    const position = lane.waiting.indexOf(waiter);
    if (position >= 0) lane.waiting.splice(position, 1);
    waiter.resolve(false);
  }, LONGEST_WAIT_MS);
  const hasPlace = await waiter.promise;
  clearTimeout(timer);
  return hasPlace;
}

async function hasToken(lane: Lane, maxPerMinute: number, deps: GateDeps): Promise<boolean> {
  const { position, count } = deps.crew();
  const perMinute = maxPerMinute / count;
  const now = deps.now().getTime();
  const waitMs = takeToken(lane.pace, perMinute, now);
  if (waitMs === 0) return true;
  if (waitMs > LONGEST_WAIT_MS) return false;
  // A position of its own spreads processes that wait for the same moment.
  await delay(waitMs + position);
  return takeToken(lane.pace, perMinute, deps.now().getTime()) === 0;
}
