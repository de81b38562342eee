import { CONNECTIONS, setting } from "@posthaste/runtime";
import { IDEMPOTENCY_KEPT_MS } from "@posthaste/storage";
import { z } from "zod";
import { TURNS_MS } from "./flow.ts";

/** Settings of the tracker service, beside those that every service has. */
export const CONFIG = z.object({
  ...CONNECTIONS,
  RECONCILE_INTERVAL: setting.duration({ min: 100 }).prefault("1s")
    .describe("Interval at which the ledger is searched for due and lost messages"),
  RECONCILE_GRACE: setting.duration({ min: 100 }).prefault("20s")
    .describe(
      "Time without a status event after which a small send is redispatched; three times as long for messages that waited. At least 20 s after acceptance",
    ),
  RELEASE_INTERVAL: setting.duration({ min: 50, max: TURNS_MS }).prefault("1s")
    .describe(
      "Interval of searches for waiting mail, due retries and batches; three times as long if there are none. Acceptances and outcomes cause earlier ones",
    ),
  LEDGER_RETENTION: setting.duration({ min: IDEMPOTENCY_KEPT_MS }).prefault("90d")
    .describe("Age at which finished sends and their messages are removed; statistics stay"),
  EVENT_DAYS: setting.integer({ min: 1, max: 365 }).prefault("30")
    .describe("Days for which events are kept in the feed; an account's newest event stays"),
  APPLY_TOPOLOGY: setting.boolean().prefault("false")
    .describe("Whether missing streams are recreated; in production, a migration creates them"),
});
