import type { IntegrationEvent } from "@posthaste/contracts";
import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";
import { countUndispatched } from "./waiting_sends.ts";
import type { IntegrationCircuit } from "./integration_circuit.ts";

/** Look-ups of the history of integrations. */
export interface IntegrationHistory {
  /** Lists the events of an integration within 30 days, newest first. */
  listEvents(
    accountId: string,
    id: number,
    page: { limit: number },
  ): Promise<IntegrationEvent[]>;
  /** Finds the circuit of a server that cannot be reached; null for one without failures. */
  findCircuit(accountId: string, id: number): Promise<IntegrationCircuit | null>;
  /** Counts the messages that wait for an integration's turn, up to `limit`. */
  countWaiting(accountId: string, id: number, limit: number): Promise<number>;
}

/** Returns the look-ups of the history of integrations. */
export function integrationHistory(db: Db): IntegrationHistory {
  const { integrationEvents, integrationHealth, messages, sends } = collectionsOf(db);

  return {
    listEvents: (accountId, id, { limit }) =>
      integrationEvents.find({ accountId, integrationId: `${accountId}/${id}` })
        .project<IntegrationEvent>({ _id: 0 }).sort({ at: -1 }).limit(limit).toArray(),
    findCircuit: (accountId, id) => integrationHealth.findOne({ _id: `${accountId}/${id}` }),
    async countWaiting(accountId, id, limit) {
      const integration = `${accountId}/${id}`;
      const [waiting, undispatched] = await Promise.all([
        messages.countDocuments({ waitsFor: integration }, { limit }),
        countUndispatched(sends, { waitsFor: integration, limit }),
      ]);
      return Math.min(limit, waiting + undispatched);
    },
  };
}
