import type { IntegrationEvent } from "@posthaste/contracts";
import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";
import { countUndispatched } from "./waiting_sends.ts";
import type { IntegrationTrouble } from "./integration_health.ts";

/** How integrations fared. */
export interface IntegrationHistory {
  /** Lists what happened to an integration within 30 days, newest first. */
  listIntegrationEvents(
    accountId: string,
    id: number,
    page: { limit: number },
  ): Promise<IntegrationEvent[]>;
  /** Finds what is known of a server that cannot be reached; null for one that is in no trouble. */
  findTrouble(accountId: string, id: number): Promise<IntegrationTrouble | null>;
  /** Counts the messages that wait for an integration's turn, up to `limit`. */
  countParked(accountId: string, id: number, limit: number): Promise<number>;
}

/** Returns the look-ups of how integrations fared. */
export function integrationHistory(db: Db): IntegrationHistory {
  const { integrationEvents, integrationHealth, messages, sends } = collectionsOf(db);

  return {
    listIntegrationEvents: (accountId, id, { limit }) =>
      integrationEvents.find({ accountId, integrationId: `${accountId}/${id}` })
        .project<IntegrationEvent>({ _id: 0 }).sort({ at: -1 }).limit(limit).toArray(),
    findTrouble: (accountId, id) => integrationHealth.findOne({ _id: `${accountId}/${id}` }),
    async countParked(accountId, id, limit) {
      const integration = `${accountId}/${id}`;
      const [parked, undispatched] = await Promise.all([
        messages.countDocuments({ waitsFor: integration }, { limit }),
        countUndispatched(sends, { waitsFor: integration, limit }),
      ]);
      return Math.min(limit, parked + undispatched);
    },
  };
}
