import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A customer's endpoint, which answers each event immediately. Its cost is not that of the system. */
export interface EventReceiver extends AsyncDisposable {
  readonly url: string;
  /** Counts from 0 again. */
  reset(): void;
  /**
   * Waits until so many different events have arrived since the last reset.
   *
   * @throws {Error} If they do not.
   */
  waitFor(events: number, timeoutMs: number): Promise<void>;
}

/** Opens a receiver. */
export async function openEventReceiver(): Promise<EventReceiver> {
  const taken = new Set<string>();
  let awaited: { events: number; resolve(): void } | undefined;
  const server = createServer((request, response) => {
    request.resume().once("end", () => {
      taken.add(String(request.headers["webhook-id"]));
      response.end();
      if (awaited !== undefined && taken.size >= awaited.events) awaited.resolve();
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    reset: () => taken.clear(),
    async waitFor(events, timeoutMs) {
      if (taken.size >= events) return;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      awaited = { events, resolve };
      const timer = setTimeout(() => {
        const found = `${taken.size} of ${events} events arrived`;
        reject(new Error(`Cannot measure: ${found} within ${timeoutMs} ms`));
      }, timeoutMs);
      await promise.finally(() => clearTimeout(timer));
    },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
