import type { Send } from "@posthaste/contracts";
import { takeTokens } from "@posthaste/limits";
import type { Logger } from "@posthaste/telemetry";

/** Settings of {@linkcode openDispatcher}. */
export interface DispatcherOptions {
  /** Publishes an accepted send. */
  dispatch(send: Send): Promise<void>;
  logger: Pick<Logger, "warn">;
  limits: DispatcherLimits;
  /** A monotonic clock in milliseconds. @default {performance} */
  clock?: { now(): number };
}

/** How much work a process accepts while the broker is slow or gone. */
export interface DispatcherLimits {
  /** The most recipients whose sends may be on their way to the broker. */
  maxRecipients: number;
  /** The most bytes of request bodies that may be on their way to the broker. */
  maxBytes: number;
  /** The most recipients in a row that may be left to the reconciler. */
  maxLeft: number;
  /** The longest absence of the broker during which sends are admitted, in milliseconds. */
  maxAwayMs: number;
}

/** Passes sends to the pipeline while the caller continues. */
export interface Dispatcher extends AsyncDisposable {
  /**
   * Returns whether another send may be accepted: false while too many were left to the reconciler
   * or the broker has been away too long. Even then one send per second is admitted, to find out
   * whether the broker is back.
   */
  admits(): boolean;
  /**
   * Begins to publish a send. Failures are only logged: the send is in the ledger, and the
   * reconciler redispatches it.
   *
   * @param bytes Size of its request.
   */
  start(send: Send, bytes: number): void;
}

const LAST_WAIT_MS = 5000;
const TRIAL_RATE = { perMs: 1 / 1000, burst: 1 };

/**
 * The count of sends left to the reconciler is reset once at most this share of the capacity is
 * used.
 */
const QUIET_SHARE = 0.1;

/**
 * Opens a dispatcher. While the broker is slow or gone, sends beyond the limits are left to the
 * reconciler, so that waiting ones cannot fill the memory. Disposing waits at most 5 s for sends
 * that are on their way.
 */
export function openDispatcher(options: DispatcherOptions): Dispatcher {
  const { dispatch, logger, clock = performance } = options;
  const { maxRecipients, maxBytes, maxLeft, maxAwayMs } = options.limits;
  const pending = new Set<Promise<void>>();
  let recipients = 0;
  let waitingBytes = 0;
  let left = 0;
  let failingSince: number | undefined;
  const trial = { tokens: 1, filledAt: 0 };

  async function run(send: Send, bytes: number): Promise<void> {
    const startedAt = clock.now();
    recipients += send.messageCount;
    waitingBytes += bytes;
    let isDone = false;
    try {
      await dispatch(send);
      isDone = true;
    } catch (error) {
      logger.warn(`Cannot dispatch "${send._id}": the reconciler will do it`, {
        sendId: send._id,
        error,
      });
    }
    recipients -= send.messageCount;
    waitingBytes -= bytes;
    if (isDone) {
      failingSince = undefined;
      if (recipients <= maxRecipients * QUIET_SHARE) left = 0;
    } else {
      failingSince ??= startedAt;
      left += send.messageCount;
    }
  }

  return {
    admits() {
      const now = clock.now();
      const isAway = failingSince !== undefined && now - failingSince > maxAwayMs;
      return !isAway && left < maxLeft || takeTokens(trial, TRIAL_RATE, { now }) === 0;
    },
    start: (send, bytes) => {
      if (recipients >= maxRecipients || waitingBytes >= maxBytes) {
        left += send.messageCount;
        logger.warn(`Cannot dispatch "${send._id}" now: too many events wait for the broker`, {
          sendId: send._id,
        });
        return;
      }
      const running = run(send, bytes).finally(() => pending.delete(running));
      pending.add(running);
    },
    [Symbol.asyncDispose]: async () => {
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, LAST_WAIT_MS);
      await Promise.race([Promise.all(pending), late]);
      clearTimeout(timer);
    },
  };
}
