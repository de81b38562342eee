import { repeat } from "@posthaste/runtime";
import type { IntegrationHold, IntegrationHolds } from "@posthaste/storage";
import type { Logger } from "@posthaste/telemetry";
import type { SendHead } from "./render_work.ts";

/** The integrations that new mail has to wait for. */
export interface Holds {
  /** Tells why mail need not be rendered now; `undefined` if it may go on. */
  reasonToPark(send: Pick<SendHead, "accountId" | "integrationId" | "lane">): string | undefined;
  /** Learns what is held, until the signal aborts. */
  follow(signal: AbortSignal): Promise<void>;
}

const FOLLOW_MS = 500;

/** Opens the knowledge about held integrations; it is empty until it is followed. */
export function openHolds(
  { listHolds, now, logger }: IntegrationHolds & { now(): Date; logger: Pick<Logger, "warn"> },
): Holds {
  let known = new Map<string, IntegrationHold>();
  return {
    reasonToPark({ accountId, integrationId, lane }) {
      const hold = known.get(`${accountId}/${integrationId}`);
      if (hold === undefined || (hold.bulkOnly && lane !== "bulk")) return undefined;
      return hold.reason;
    },
    async follow(signal) {
      await repeat(async () => {
        known = new Map((await listHolds(now())).map((hold) => [hold._id, hold]));
      }, {
        everyMs: FOLLOW_MS,
        // The mailer parks what comes through meanwhile.
        failure: "Cannot learn which integrations are held",
        ...{ logger, signal },
      });
    },
  };
}
