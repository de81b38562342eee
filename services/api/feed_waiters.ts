import { HttpError } from "./http_error.ts";
import type { StorePart } from "@posthaste/storage";
import type { Logger } from "@posthaste/telemetry";

/** What waiting for events needs from outside. */
export interface FeedWaiterDeps extends StorePart<"events.grown"> {
  logger: Pick<Logger, "warn">;
}

/** Whose feed a request waits for, and for how long. */
export interface FeedWait {
  accountId: string;
  /** `_id` of the token. */
  tokenId: string;
  /** Sequence number of the last event that the caller knows. */
  after: number;
  forMs: number;
  /** Aborts when the caller has gone. */
  signal?: AbortSignal;
}

/**
 * Requests that wait for events. They hold no connection to the database: one query serves them
 * all.
 */
export interface FeedWaiters extends Disposable {
  /**
   * Waits until the account has another event, the time is up or the service ends.
   *
   * @returns `false` if the service ends: there is nothing to wait for any more.
   * @throws {HttpError} `too_many_requests` if too many wait.
   */
  wait(options: FeedWait): Promise<boolean>;
}

/** The most requests that may wait at the same time: of one token, of one account, and in all. */
export const MAX_WAITERS = { token: 5, account: 20, all: 1000 };

const LOOK_EVERY_MS = 500;

interface Waiter extends FeedWait {
  wake(): void;
}

/** Opens the set of requests that wait for events. */
export function openFeedWaiters(
  { events, logger }: FeedWaiterDeps,
  { everyMs = LOOK_EVERY_MS }: { everyMs?: number } = {},
): FeedWaiters {
  const waiters = new Set<Waiter>();
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;

  async function look(): Promise<void> {
    const looked = [...waiters];
    try {
      const grown = await events.grown(looked);
      for (const waiter of looked) if (grown.has(waiter.accountId)) waiter.wake();
    } catch (error) {
      logger.warn("Cannot look for new events, retrying", { error });
    }
    timer = undefined;
    plan();
  }

  function plan(): void {
    if (waiters.size > 0 && !isOver) timer ??= setTimeout(() => void look(), everyMs);
  }

  function assertFits({ accountId, tokenId }: FeedWait): void {
    const all = [...waiters];
    const isFull = all.length >= MAX_WAITERS.all ||
      all.filter((waiter) => waiter.accountId === accountId).length >= MAX_WAITERS.account ||
      all.filter((waiter) => waiter.tokenId === tokenId).length >= MAX_WAITERS.token;
    if (!isFull) return;
    const reason = `at most ${MAX_WAITERS.token} requests of a token may wait at the same time`;
    throw new HttpError("too_many_requests", `Cannot wait for events: ${reason}`, {
      retryAfter: 1,
    });
  }

  return {
    async wait(options) {
      if (isOver || options.signal?.aborted) return !isOver;
      assertFits(options);
      const { promise, resolve } = Promise.withResolvers<void>();
      const waiter = { ...options, wake: resolve };
      waiters.add(waiter);
      plan();
      const late = setTimeout(resolve, options.forMs);
      options.signal?.addEventListener("abort", () => resolve(), { once: true });
      await promise;
      clearTimeout(late);
      waiters.delete(waiter);
      return !isOver;
    },
    [Symbol.dispose]() {
      isOver = true;
      clearTimeout(timer);
      for (const { wake } of waiters) wake();
    },
  };
}
