import type { Store } from "@posthaste/storage";
import type { ApiDeps } from "./app.ts";
import { openLedger } from "./open_ledger.ts";

/** What stands for the broker where a test has none. */
export const NO_BROKER = {
  bus: {
    ask: () => Promise.resolve(undefined),
    objects: () => {
      throw new Error("this test has no broker");
    },
  },
  checkBroker: () => Promise.resolve(),
} satisfies Partial<ApiDeps>;

/** Returns what the interface needs of a real store. */
export function storeDeps(store: Store) {
  return { ...openLedger(store), now: store.now };
}
