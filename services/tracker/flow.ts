import { type TokenBucket, tokensIn } from "@posthaste/limits";
import { openNews } from "./news.ts";
import { openWindow, type ServerWindow, type WindowOptions } from "./server_window.ts";

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

/** Which send of which account. */
export interface SendKey {
  accountId: string;
  sendId: string;
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
  /** Records that an attempt was dispatched: it uses a turn of the integration's rate. */
  begin(integration: string, attempt: AttemptKey): void;
  /** Records that an attempt has ended, with any outcome. One that no mailer tried gives its turn back. */
  end(attempt: AttemptKey, options?: { wasTried: boolean }): void;
  /**
   * Records that an attempt came back untried. The first one of a message waits here until it is dispatched. Later ones are
   * forgotten: the ledger knows when they are due. If the server is busy, its turn is used: the next one would come back, too.
   */
  keepReturned(integration: string, attempt: Returned, options: ReturnOptions): void;
  /**
   * Records that an attempt has to wait for this many milliseconds. It is held until then, but takes no place.
   *
   * @param send Its send, if the rest of it would probably have to wait, too.
   */
  postpone(attempt: AttemptKey, ms: number, send?: SendKey): void;
  /** Returns the sends of an account of which 50 messages or more have to wait: the rest would wait as well. */
  postponedSends(accountId: string): string[];
  /** Forgets an attempt without an outcome, and gives its turn back: the ledger knows whether and when it is due. */
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
  /**
   * Returns how many messages of an integration may be dispatched now by its rate a minute, and a part of one: after a
   * quiet time, one and two seconds' worth. Infinite without a rate.
   */
  turnsOf(integration: string, maxPerMinute: number | null): number;
  /** Ends the current pause, or the next one: mail was accepted, or a place is free. */
  wake(): void;
  /** Waits until a place may be free, mail is accepted or the signal aborts, for at most this many milliseconds. */
  nextNews(withinMs: number, signal?: AbortSignal): Promise<void>;
}

/** If so many messages of a send wait, the rest would probably wait, too. */
const MAX_POSTPONED = 50;
/** Shortest time between two removals of attempts that are no longer postponed. */
const END_POSTPONED_EVERY_MS = 200;

/** Time of which a rate's turns may be used together, in milliseconds. Mail is looked for at least once in it. */
export const TURNS_MS = 2000;

interface ServerFlow {
  window: ServerWindow;
  /** The turns of its rate, if it has one. */
  turns?: TokenBucket | undefined;
  /** By `<message>/<attempts before>`: when it was dispatched. */
  begun: Map<string, number>;
  /** By the key of an attempt. */
  returned: Map<string, Returned>;
}

/** Options of {@linkcode openFlow}. */
export interface FlowOptions extends WindowOptions {
  /** Time without news after which an attempt no longer counts: the ledger knows its state. */
  patienceMs: number;
}

/** Opens the flow of one leader. */
export function openFlow({ patienceMs, ...options }: FlowOptions): Flow {
  const { clock = performance } = options;
  const flows = new Map<string, ServerFlow>();
  const unknown = openWindow(options);
  const owners = new Map<string, string>();
  /** By the key of an attempt: until when it waits. */
  const postponed = new Map<string, { until: number; send: SendKey | undefined }>();
  let endPostponedAt = -Infinity;
  const news = openNews();
  const { wake } = news;

  function flowOf(integration: string): ServerFlow {
    let server = flows.get(integration);
    if (server === undefined) {
      server = { window: openWindow(options), begun: new Map(), returned: new Map() };
      flows.set(integration, server);
    }
    return server;
  }

  function forgetOld({ begun }: ServerFlow): void {
    const now = clock.now();
    // In the order of their dispatch.
    for (const [key, at] of begun) {
      if (now - at < patienceMs) break;
      forget(key);
    }
  }

  /** Removes an attempt from where it is: in flight, or waiting. Returns where it was in flight. */
  function forget(key: string): ServerFlow | undefined {
    const server = flows.get(owners.get(key) ?? "");
    server?.returned.delete(key);
    owners.delete(key);
    postponed.delete(key);
    return server?.begun.delete(key) ? server : undefined;
  }

  function giveTurnBack({ turns }: ServerFlow): void {
    if (turns !== undefined) turns.tokens += 1;
  }

  function release(attempt: AttemptKey): void {
    const server = forget(keyOf(attempt));
    if (server === undefined) return;
    giveTurnBack(server);
    wake();
  }

  /** Forgets what is no longer postponed. */
  function endPostponed(): void {
    const now = clock.now();
    if (now < endPostponedAt) return;
    endPostponedAt = now + END_POSTPONED_EVERY_MS;
    for (const [key, { until }] of postponed) if (now >= until) postponed.delete(key);
  }

  return {
    begin(integration, attempt) {
      const server = flowOf(integration);
      forgetOld(server);
      const key = keyOf(attempt);
      forget(key);
      server.begun.set(key, clock.now());
      server.window.begin(server.begun.size);
      // The reconciler dispatches without a turn: that must not cost later ones.
      if (server.turns !== undefined) server.turns.tokens = Math.max(0, server.turns.tokens - 1);
      owners.set(key, integration);
    },
    end(attempt, { wasTried } = { wasTried: true }) {
      const key = keyOf(attempt);
      const integration = owners.get(key);
      if (integration === undefined) return;
      const server = flowOf(integration);
      if (forget(key) && !wasTried) giveTurnBack(server);
      server.window.end();
      wake();
    },
    keepReturned(integration, attempt, { isServerBusy, own = integration }) {
      const key = keyOf(attempt);
      const server = flowOf(integration);
      const wasBegun = forget(key) !== undefined;
      if (attempt.attempt === 0) {
        flowOf(own).returned.set(key, attempt);
        owners.set(key, own);
      }
      if (isServerBusy) return server.window.narrow({ wasBegun, inFlight: server.begun.size });
      if (wasBegun) giveTurnBack(server);
      wake();
    },
    postpone(attempt, ms, send) {
      release(attempt);
      endPostponed();
      postponed.set(keyOf(attempt), { until: clock.now() + ms, send });
    },
    postponedSends(accountId) {
      if (postponed.size === 0) return [];
      endPostponed();
      const own = [...postponed.values()].flatMap(({ send }) =>
        send?.accountId === accountId ? [send.sendId] : []
      );
      return [...Map.groupBy(own, (sendId) => sendId)]
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
      const { window, begun, returned, turns } = server;
      const isIdle = begun.size + returned.size === 0 && turns === undefined;
      if (isIdle && window.isNew()) flows.delete(integration);
      return begun.size;
    },
    wake,
    nextNews: (withinMs, signal) => news.next({ withinMs, signal }),
    turnsOf(integration, maxPerMinute) {
      if (maxPerMinute === null) {
        const server = flows.get(integration);
        if (server !== undefined) server.turns = undefined;
        return Infinity;
      }
      const server = flowOf(integration);
      const perMs = maxPerMinute / 60_000;
      const rate = { perMs, burst: 1 + perMs * TURNS_MS };
      const now = clock.now();
      server.turns ??= { tokens: rate.burst, filledAt: now };
      return tokensIn(server.turns, rate, now);
    },
    windowOf: (integration) => (flows.get(integration)?.window ?? unknown).width(),
  };
}

/** Compares returned attempts by the age of their sends. */
function inOrder(one: Returned, other: Returned): number {
  return one.acceptedAt.getTime() - other.acceptedAt.getTime() || one.index - other.index;
}

function keyOf({ messageId, attempt }: AttemptKey): string {
  return `${messageId}/${attempt}`;
}
