import type { Send } from "@posthaste/contracts";
import { openSemaphore } from "@posthaste/limits";
import { pause } from "@posthaste/runtime";
import type { Logger } from "@posthaste/telemetry";
import type { Acceptance, StorePart } from "@posthaste/storage";

/** What {@linkcode openLateAcceptances} needs. */
export interface LateAcceptancesDeps extends StorePart<"sends.withdraw"> {
  /** Begins to dispatch a send that is in the ledger. */
  startDispatch(send: Send, bytes: number): void;
  logger: Pick<Logger, "info" | "error">;
}

/** Acceptances whose callers got an error because the ledger was late or failed. */
export interface LateAcceptances extends AsyncDisposable {
  /** Whether the limit of sends without an idempotency key is reached. */
  readonly isFull: boolean;
  /**
   * Follows one to its end. A caller with an idempotency key repeats the request and finds the send
   * again, so it is dispatched once the ledger confirms it. A send without a key is withdrawn.
   */
  follow(accepting: Promise<Acceptance>, what: { send: Send; bytes: number }): void;
}

type Withdrawal = Pick<Send, "_id" | "reconcileAt">;

const MAX_WITHDRAWALS = 1000;
const CONCURRENCY = 20;
const RETRY_MS = 200;
const LAST_WAIT_MS = 5000;

/**
 * Opens the list. A withdrawal is retried until the ledger answers; the ledger refuses it once the
 * reconciler has read the send, at the earliest 20 s after its acceptance. Disposing waits at most 5 s for open ones.
 */
export function openLateAcceptances(deps: LateAcceptancesDeps): LateAcceptances {
  const { sends, startDispatch, logger } = deps;
  const withdrawals = openSemaphore({ max: CONCURRENCY });
  const closing = new AbortController();
  let open = 0;
  let onIdle: (() => void) | undefined;

  async function withdrawInTurn(accountId: string, send: Withdrawal): Promise<void> {
    using _permit = await withdrawals.acquire(accountId);
    await withdraw(send);
    if (--open === 0) onIdle?.();
  }

  async function withdraw(send: Withdrawal): Promise<void> {
    const { _id: sendId } = send;
    for (;;) {
      try {
        if (await sends.withdraw(send)) logger.info(`Withdrew "${sendId}"`, { sendId });
        else logger.error(`Cannot withdraw "${sendId}": the reconciler has seen it`, { sendId });
        return;
      } catch (error) {
        if (closing.signal.aborted) {
          logger.error(`Cannot withdraw "${sendId}": the ledger does not answer`, {
            sendId,
            error,
          });
          return;
        }
        await pause(RETRY_MS, closing.signal);
      }
    }
  }

  return {
    get isFull() {
      return open >= MAX_WITHDRAWALS;
    },
    follow(accepting, { send, bytes }) {
      if (send.idempotency !== undefined) {
        accepting.then(({ accepted }) => {
          if (accepted) startDispatch(send, bytes);
        }, () => {});
        return;
      }
      open++;
      const { _id, accountId, reconcileAt } = send;
      // Once the driver has given up, only a write that the server has already read can still store
      // the send.
      accepting.catch(() => {}).finally(() => withdrawInTurn(accountId, { _id, reconcileAt }));
    },
    [Symbol.asyncDispose]: async () => {
      if (open === 0) return;
      const { promise: idle, resolve } = Promise.withResolvers<void>();
      onIdle = resolve;
      const timer = setTimeout(() => closing.abort(), LAST_WAIT_MS);
      const late = new Promise((end) => closing.signal.addEventListener("abort", end));
      await Promise.race([idle, late]);
      clearTimeout(timer);
    },
  };
}
