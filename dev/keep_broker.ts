import { setTimeout as delay } from "node:timers/promises";
import { openBus } from "@posthaste/messaging";

const INTERVAL_MS = 5000;

/**
 * Checks every 5 s that a broker has its streams, and creates missing ones, as after a loss of all its data:
 * no service has the right to. Disposing ends it.
 */
export async function keepBroker(url: string): Promise<AsyncDisposable> {
  const ending = new AbortController();
  const { signal } = ending;
  const bus = await openBus({ url, name: "operator" });

  async function keep(): Promise<void> {
    while (!signal.aborted) {
      // An unavailable broker is checked again later.
      await bus.check().catch(() => bus.applyTopology()).catch(() => undefined);
      await delay(INTERVAL_MS, undefined, { signal }).catch(() => undefined);
    }
  }
  const kept = keep();
  return {
    async [Symbol.asyncDispose]() {
      ending.abort();
      await bus[Symbol.asyncDispose]();
      await kept;
    },
  };
}
