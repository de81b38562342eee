import { PARKING_REASON } from "@posthaste/contracts";
import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";

/** An integration whose new mail need not be made ready: it could not be sent now. */
export interface IntegrationHold {
  /** `_id` of the integration. */
  _id: string;
  /** A sentence for people. */
  reason: string;
  /** Whether mail of the transactional lane may still try: mail waits, but its server may be reached. */
  bulkOnly: boolean;
}

/** What the ledger tells of mail that would have to wait. */
export interface IntegrationHolds {
  /**
   * Lists the integrations that are suspended, whose server is left alone at the time, or for which
   * mail is parked already, behind which new mail has to wait.
   */
  listHolds(now: Date): Promise<IntegrationHold[]>;
}

/** Gives the look-up of held integrations. */
export function integrationHolds(db: Db): IntegrationHolds {
  const { messages, integrationHealth, openIntegrations } = collectionsOf(db);
  return {
    async listHolds(now) {
      const [parked, unreachable, suspended] = await Promise.all([
        messages.distinct("parkedFor", { parkedFor: { $gte: "" } }) as Promise<string[]>,
        integrationHealth.find({ openUntil: { $gt: now } }).toArray(),
        openIntegrations.find({ "suspended.at": { $gt: new Date(0) } })
          .project<{ _id: string; suspended: { reason: string } }>({ suspended: 1 }).toArray(),
      ]);
      return [
        ...parked.map((_id) => ({ _id, reason: PARKING_REASON.behind, bulkOnly: true })),
        ...unreachable.map(({ _id, reason }) => ({
          _id,
          reason: PARKING_REASON.unreachable(reason),
          bulkOnly: false,
        })),
        ...suspended.map(({ _id, suspended: { reason } }) => ({
          _id,
          reason: PARKING_REASON.suspended(reason),
          bulkOnly: false,
        })),
      ];
    },
  };
}
