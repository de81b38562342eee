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
  /**
   * Records that an attempt has ended, with any outcome.
   *
   * @param triedMs How long a mailer tried it, in milliseconds: its start used the integration's rate. Missing if none did.
   */
  end(attempt: AttemptKey, triedMs?: number): void;
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
  /**
   * Returns how many milliseconds ago the last attempt of an integration began that a mailer tried; infinite if none is
   * known.
   */
  triedMsAgo(integration: string): number;
  /** Ends the current pause, or the next one: mail was accepted, or a place is free. */
  wake(): void;
  /** Waits until a place may be free, mail is accepted or the signal aborts, for at most this many milliseconds. */
  nextNews(withinMs: number, signal?: AbortSignal): Promise<void>;
}

/** If so many messages of a send wait, the rest would probably wait, too. */
const MAX_POSTPONED = 50;
/** Shortest time between two removals of attempts that are no longer postponed. */
const END_POSTPONED_EVERY_MS = 200;

interface ServerFlow {
  window: ServerWindow;
  /** When the last attempt began that was tried. */
  triedAt: number;
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
  const postponed = new Map<string, { accountId: string; sendId: string; until: number }>();
  let endPostponedAt = -Infinity;
  const news = openNews();
  const { wake } = news;

  function flowOf(integration: string): ServerFlow {
    let server = flows.get(integration);
    if (server === undefined) {
      const window = openWindow(options);
      server = { window, triedAt: -Infinity, begun: new Map(), returned: new Map() };
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

  return {
    begin(integration, attempt) {
      const server = flowOf(integration);
      forgetOld(server);
      const key = keyOf(attempt);
      forget(key);
      server.begun.set(key, clock.now());
      server.window.begin(server.begun.size);
      owners.set(key, integration);
    },
    end(attempt, triedMs) {
      const key = keyOf(attempt);
      const integration = owners.get(key);
      if (integration === undefined) return;
      forget(key);
      const server = flowOf(integration);
      server.window.end();
      if (triedMs !== undefined) server.triedAt = clock.now() - triedMs;
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
      if (isServerBusy) server.window.narrow({ wasBegun, inFlight: server.begun.size });
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
      const { window, begun, returned } = server;
      if (begun.size + returned.size === 0 && window.isNew()) flows.delete(integration);
      return begun.size;
    },
    wake,
    nextNews: (withinMs, signal) => news.next({ withinMs, signal }),
    triedMsAgo: (integration) => clock.now() - (flows.get(integration)?.triedAt ?? -Infinity),
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
