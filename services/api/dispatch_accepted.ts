import type { Send } from "@posthaste/contracts";
import { acceptanceOf, type AcceptanceReports, type Bus, dispatchSend } from "@posthaste/messaging";
import { failpoint } from "@posthaste/runtime";
import type { StorePart } from "@posthaste/storage";

/** What {@linkcode dispatchAccepted} needs. */
export interface DispatchDeps {
  bus: Pick<Bus, "publish">;
  acceptances: Pick<AcceptanceReports, "note">;
  store: StorePart<"waiting.queueSend">;
}

/**
 * Passes an accepted send to the renderer. One that waits is queued in the ledger, and only the scheduler is
 * notified.
 *
 * @throws If the ledger or the broker does not take all of it: what they lack, the reconciler dispatches.
 */
export async function dispatchAccepted(
  send: Send,
  { bus, acceptances, store }: DispatchDeps,
): Promise<void> {
  if (send.next === undefined) {
    await dispatchSend(bus, send);
    acceptances.note(send);
  } else {
    // Without an idempotency key, a send whose caller got an error is withdrawn before this.
    await store.waiting.queueSend(send);
    await bus.publish(acceptanceOf(send, { waits: true }), { id: send._id });
  }
  failpoint("api.after_dispatch");
}
