import type { ApiDeps, ApiOptions } from "./app.ts";
import { apiOptionsOf, CONFIG } from "./config.ts";

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

const ADDRESSES = { MONGODB_URL: "mongodb://localhost", NATS_URL: "nats://localhost" };

/**
 * Lets a test send any number of requests and bytes, and wait for a database on a busy machine. All other limits
 * are those of a service without settings.
 */
export const LOOSE_LIMITS: ApiOptions = {
  ...apiOptionsOf(CONFIG.parse(ADDRESSES)),
  ledgerTimeoutMs: 20_000,
  rateLimit: 0,
  searchRateLimit: 0,
  heavyRateLimit: 0,
  priorityBudget: { rate: 0, burst: 0 },
  byteQuota: { daily: 0, stored: 0 },
};
