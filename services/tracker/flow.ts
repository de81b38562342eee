import { openNews } from "./news.ts";

/** Which attempt of which message. */
export interface AttemptKey {
  messageId: string;
  /** The attempts before it. */
  attempt: number;
}

/** An attempt that a mailer or a printer returned untried, and that waits for capacity. */
export interface Returned extends AttemptKey {
  sendId: string;
  /** Position in the request's `to`. */
  index: number;
  acceptedAt: Date;
  /** The stage without capacity, if it is not the mailer. */
  stage?: "pdf" | undefined;
}

/** How an attempt came back. */
export interface ReturnOptions {
  /** Whether its server takes no more: the window narrows. */
  isServerBusy: boolean;
  /** The integration of its send, where it waits, if another one was to send it. */
  own?: string;
}

/** Messages in flight to the SMTP server of each integration, and the speed at which it accepts mail. */
export interface Flow {
  /** Records that an attempt was dispatched. */
  begin(integration: string, attempt: AttemptKey): void;
  /** Records that an attempt has ended, with any outcome. */
  end(attempt: AttemptKey): void;
  /**
   * Records that an attempt came back untried. The first one of a message waits here until it is dispatched. Later ones are
   * forgotten: the ledger knows when they are due.
   */
  keepReturned(integration: string, attempt: Returned, options: ReturnOptions): void;
  /**
   * Records that an attempt has to wait for this many milliseconds before it can be prepared. It is held until then, but
   * takes no place: it is not at the server.
   */
  postpone(attempt: AttemptKey & { accountId: string; sendId: string }, ms: number): void;
  /** Returns the sends of an account of which 50 messages or more have to wait: the rest would wait as well. */
  postponedSends(accountId: string): string[];
  /** Forgets an attempt without an outcome: the ledger knows whether and when it is due. */
  release(attempt: AttemptKey): void;
  /** Returns the returned first attempts of an integration, oldest first. */
  returned(integration: string): Returned[];
  /** Returns the integrations with returned attempts. */
  integrationsReturned(): string[];
  /**
   * Returns whether an attempt waits here, or was dispatched so recently that its status event may still
   * arrive.
   */
  knows(attempt: AttemptKey): boolean;
  /** Returns how many messages of an integration are in flight. */
  inFlight(integration: string): number;
  /** Returns the maximum number of messages in flight of an integration. */
  windowOf(integration: string): number;
  /** Ends the current pause, or the next one: mail was accepted, or a place is free. */
  wake(): void;
  /** Waits until a place may be free, mail is accepted or the signal aborts, for at most this many milliseconds. */
  nextNews(withinMs: number, signal?: AbortSignal): Promise<void>;
}

/** Window without an outcome in the last two seconds. */
const FIRST_WINDOW = 2;
/** Smallest window of a server from which outcomes come: enough for all its connections. */
const MIN_WINDOW = 10;
const MAX_WINDOW = 2000;
/** Up to this width a window grows quickly after a return, whatever came back. */
const MIN_SLOW_START_THRESHOLD = 32;

/**
 * Pause after every attempt was returned, in milliseconds. Then one message tries again; the pause doubles
 * with each failure.
 */
const FIRST_PAUSE_MS = 2000;
const MAX_PAUSE_MS = 15_000;

/** Time for which a return counts if no other outcome of the server arrives. */
const RETURNED_MS = 600_000;

/** Work in flight of an integration, in milliseconds of its server's work. Mail passes all stages in a third of that. */
const AHEAD_MS = 1500;

/** Time for which the throughput of a server counts. */
const MEMORY_MS = 2000;
const MIN_SPAN_MS = 200;

/** If so many messages of a send wait, the rest would probably wait, too. */
const MAX_POSTPONED = 50;
/** Shortest time between two removals of attempts that are no longer postponed. */
const END_POSTPONED_EVERY_MS = 200;

interface ServerFlow {
  /** By `<message>/<attempts before>`: when it was dispatched. */
  begun: Map<string, number>;
  /** How many were in flight after the last dispatch. */
  dispatched: number;
  /** By the key of an attempt. */
  returned: Map<string, Returned>;
  /** When attempts ended, of the last seconds. */
  ends: number[];
  /** When the first attempt was dispatched after a pause. */
  since: number;
  /** Largest window since the last return: it grows with each attempt that ends ({@linkcode growthOf}). */
  cap: number;
  /**
   * Up to this width the cap grows quickly, at first without limit: half of the one that was too wide, at least 32.
   * The slow start threshold of TCP (RFC 5681, section 3.1).
   */
  slowStartThreshold: number;
  returnedAt: number;
  pauseMs: number;
}

/** Options of {@linkcode openFlow}. */
export interface FlowOptions {
  /** Time without news after which an attempt no longer counts: the ledger knows its state. */
  patienceMs: number;
  /** Window of an integration without an outcome in the last two seconds. @default {2} */
  firstWindow?: number;
  /** A monotonic clock in milliseconds. @default {performance} */
  clock?: { now(): number };
}

/**
 * Opens the flow of one leader. The window follows the server: ten messages, and as many more as it accepts in one and a
 * half seconds, measured over the last two.
 */
export function openFlow(
  { patienceMs, firstWindow = FIRST_WINDOW, clock = performance }: FlowOptions,
): Flow {
  const flows = new Map<string, ServerFlow>();
  const owners = new Map<string, string>();
  /** By the key of an attempt: until when it waits. */
  const postponed = new Map<string, { accountId: string; sendId: string; until: number }>();
  let endPostponedAt = -Infinity;
  const news = openNews();
  const { wake } = news;

  function flowOf(integration: string): ServerFlow {
    let server = flows.get(integration);
    if (server === undefined) {
      server = {
        ...{ begun: new Map(), dispatched: 0, returned: new Map(), ends: [], since: clock.now() },
        ...{
          cap: MAX_WINDOW,
          slowStartThreshold: MAX_WINDOW,
          returnedAt: -Infinity,
          pauseMs: FIRST_PAUSE_MS,
        },
      };
      flows.set(integration, server);
    }
    return server;
  }

  function forgetOld({ begun, ends }: ServerFlow): void {
    const now = clock.now();
    // In the order of their dispatch.
    for (const [key, at] of begun) {
      if (now - at < patienceMs) break;
      forget(key);
    }
    const old = ends.findIndex((at) => now - at < MEMORY_MS);
    ends.splice(0, old === -1 ? ends.length : old);
  }

  /** Removes an attempt from where it is: in flight, or waiting. Returns whether it was in flight. */
  function forget(key: string): boolean {
    const server = flows.get(owners.get(key) ?? "");
    server?.returned.delete(key);
    owners.delete(key);
    postponed.delete(key);
    return server?.begun.delete(key) === true;
  }

  function release(attempt: AttemptKey): void {
    if (forget(keyOf(attempt))) wake();
  }

  /** Forgets what is no longer postponed. */
  function endPostponed(): void {
    const now = clock.now();
    if (now < endPostponedAt) return;
    endPostponedAt = now + END_POSTPONED_EVERY_MS;
    for (const [key, { until }] of postponed) if (now >= until) postponed.delete(key);
  }

  /**
   * Narrows a window by one message that came back. Places that have become free since the last dispatch count as used:
   * the server took their messages.
   */
  function narrow(server: ServerFlow, { wasBegun }: { wasBegun: boolean }): void {
    const isTrial = wasBegun && server.cap === 0;
    const used = Math.floor(Math.min(server.cap, server.dispatched));
    if (wasBegun) {
      server.cap = Math.max(0, used - 1);
      // One message alone says nothing of a width.
      if (used > 1) server.slowStartThreshold = Math.max(MIN_SLOW_START_THRESHOLD, used / 2);
    } else {
      // The api had dispatched it. This proves little of the server: one message may try immediately.
      const others = server.begun.size === 0 ? 0 : used;
      server.cap = Math.min(server.cap, Math.max(1, others));
    }
    if (isTrial) server.pauseMs = Math.min(MAX_PAUSE_MS, 2 * server.pauseMs);
    // What the api dispatched must not prolong the pause of a closed window: it may come back all the time.
    if (wasBegun || server.cap > 0) server.returnedAt = clock.now();
  }

  return {
    begin(integration, attempt) {
      const server = flowOf(integration);
      forgetOld(server);
      const now = clock.now();
      if (server.begun.size === 0 && server.ends.length === 0) server.since = now;
      const key = keyOf(attempt);
      forget(key);
      server.begun.set(key, now);
      server.dispatched = server.begun.size;
      owners.set(key, integration);
    },
    end(attempt) {
      const key = keyOf(attempt);
      const integration = owners.get(key);
      if (integration === undefined) return;
      forget(key);
      const server = flowOf(integration);
      server.ends.push(clock.now());
      server.cap = Math.min(MAX_WINDOW, server.cap + growthOf(server));
      server.pauseMs = FIRST_PAUSE_MS;
      wake();
    },
    keepReturned(integration, attempt, { isServerBusy, own = integration }) {
      const key = keyOf(attempt);
      const server = flowOf(integration);
      const wasBegun = forget(key);
      if (attempt.attempt === 0) {
        flowOf(own).returned.set(key, attempt);
        owners.set(key, own);
      }
      if (isServerBusy) narrow(server, { wasBegun });
      else wake();
    },
    postpone({ accountId, sendId, ...attempt }, ms) {
      release(attempt);
      endPostponed();
      postponed.set(keyOf(attempt), { accountId, sendId, until: clock.now() + ms });
    },
    postponedSends(accountId) {
      if (postponed.size === 0) return [];
      endPostponed();
      const own = [...postponed.values()].filter((one) => one.accountId === accountId);
      return [...Map.groupBy(own, ({ sendId }) => sendId)]
        .flatMap(([sendId, { length }]) => length >= MAX_POSTPONED ? [sendId] : []);
    },
    release,
    returned: (integration) =>
      [...flows.get(integration)?.returned.values() ?? []].toSorted(inOrder),
    integrationsReturned: () =>
      [...flows].flatMap(([key, { returned }]) => returned.size > 0 ? [key] : []),
    knows(attempt) {
      const key = keyOf(attempt);
      const server = flows.get(owners.get(key) ?? "");
      const at = server?.begun.get(key);
      if (clock.now() < (postponed.get(key)?.until ?? -Infinity)) return true;
      return server?.returned.has(key) === true ||
        at !== undefined && clock.now() - at < patienceMs;
    },
    inFlight(integration) {
      const server = flows.get(integration);
      if (server === undefined) return 0;
      forgetOld(server);
      const { begun, returned, ends, returnedAt } = server;
      const isOver = clock.now() - returnedAt >= RETURNED_MS;
      if (begun.size + returned.size + ends.length === 0 && isOver) flows.delete(integration);
      return begun.size;
    },
    wake,
    nextNews: (withinMs, signal) => news.next({ withinMs, signal }),
    windowOf(integration) {
      const server = flows.get(integration);
      if (server === undefined) return firstWindow;
      forgetOld(server);
      const spanMs = Math.min(MEMORY_MS, Math.max(MIN_SPAN_MS, clock.now() - server.since));
      const ahead = server.ends.length * (AHEAD_MS / spanMs);
      if (server.cap === 0) return clock.now() - server.returnedAt >= server.pauseMs ? 1 : 0;
      const least = server.ends.length === 0 ? firstWindow : MIN_WINDOW;
      return Math.min(Math.floor(server.cap), Math.round(least + ahead));
    },
  };
}

/**
 * Returns by how much one attempt that ends widens a window after a return. One beyond the threshold keeps its width
 * while one attempt in seventeen comes back: fewer tell nothing of the mailers' capacity, and more exceed it.
 */
function growthOf({ cap, slowStartThreshold }: ServerFlow): number {
  return cap < slowStartThreshold ? 1 : 1 / 16;
}

/** Compares returned attempts by the age of their sends. */
function inOrder(one: Returned, other: Returned): number {
  return one.acceptedAt.getTime() - other.acceptedAt.getTime() || one.index - other.index;
}

function keyOf({ messageId, attempt }: AttemptKey): string {
  return `${messageId}/${attempt}`;
}
