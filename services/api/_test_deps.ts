import type { ApiDeps, ApiOptions } from "./app.ts";

/** Stands for the broker where a test has none. */
export const NO_BROKER = {
  bus: {
    ask: () => Promise.resolve(undefined),
    objects: () => {
      throw new Error("this test has no broker");
    },
  },
  checkBroker: () => Promise.resolve(),
} satisfies Partial<ApiDeps>;

/** Lets a test send any number of requests, and wait for a database on a busy machine. */
export const LOOSE_LIMITS = {
  ledgerTimeoutMs: 20_000,
  rateLimit: 0,
  searchRateLimit: 0,
  heavyRateLimit: 0,
} satisfies ApiOptions;
