import { CONNECTIONS, setting } from "@posthaste/runtime";
import { IDEMPOTENCY_KEPT_MS } from "@posthaste/storage";
import { z } from "zod";

/** Settings of the tracker service, beside those that every service has. */
export const CONFIG = z.object({
  ...CONNECTIONS,
  SWEEP_INTERVAL: setting.duration({ min: 100 }).prefault("1s")
    .describe("How often the ledger is searched for mail that is due or was lost"),
  SWEEP_GRACE: setting.duration({ min: 100 }).prefault("20s")
    .describe(
      "Time after which a small send without news is dispatched again; three times as long for what waited in the ledger",
    ),
  RELEASE_INTERVAL: setting.duration({ min: 50 }).prefault("1s")
    .describe(
      "How often the ledger is searched for mail that may go on, beside the moments in which mail is accepted or sent: what waits for room, and what is due",
    ),
  LEDGER_RETENTION: setting.duration({ min: IDEMPOTENCY_KEPT_MS }).prefault("90d")
    .describe("Age at which finished sends are removed with their messages; statistics stay"),
  APPLY_TOPOLOGY: setting.boolean().prefault("false")
    .describe("Whether missing streams are created again; in production a migration does it"),
});
