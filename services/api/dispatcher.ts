import type { Send } from "@posthaste/contracts";
import type { Logger } from "@posthaste/telemetry";

/** Settings of {@linkcode openDispatcher}. */
export interface DispatcherOptions {
  /** Publishes an accepted send. */
  dispatch(send: Send): Promise<void>;
  logger: Pick<Logger, "warn">;
  /** The most recipients whose sends may be on their way to the broker. @default {10_000} */
  maxRecipients?: number;
}

/** Hands sends to the pipeline behind the caller's back. */
export interface Dispatcher extends AsyncDisposable {
  /**
   * Begins to publish a send. Failures are logged only: the send is in the ledger, and the sweeper
   * dispatches what was not.
   */
  start(send: Send): void;
}

const LAST_WAIT_MS = 5000;

/**
 * Opens a dispatcher. While the broker is slow or gone, sends beyond the limit are left to the
 * sweeper, so that waiting ones cannot fill the memory. Disposing waits for those on their way, at
 * most 5 s.
 */
export function openDispatcher(options: DispatcherOptions): Dispatcher {
  const { dispatch, logger, maxRecipients = 10_000 } = options;
  const pending = new Set<Promise<void>>();
  let recipients = 0;

  async function run(send: Send): Promise<void> {
    recipients += send.messageCount;
    try {
      await dispatch(send);
    } catch (error) {
      logger.warn(`Cannot dispatch "${send._id}": the sweeper will`, { sendId: send._id, error });
    } finally {
      recipients -= send.messageCount;
    }
  }

  return {
    start: (send) => {
      if (recipients >= maxRecipients) {
        logger.warn(`Cannot dispatch "${send._id}" now: too many wait for the broker`, {
          sendId: send._id,
        });
        return;
      }
      const running = run(send).finally(() => pending.delete(running));
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
