import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";

/** What the ledger tells of integrations whose mail cannot go. */
export interface ClosedIntegrations {
  /**
   * Lists the integrations (`_id`) that are suspended, whose server is left alone at the time, or whose
   * mail came back from the mailers, behind which other mail has to wait.
   */
  listClosed(now: Date): Promise<Set<string>>;
}

/** Returns the look-up of closed integrations. */
export function closedIntegrations(db: Db): ClosedIntegrations {
  const { integrationHealth, messages, openIntegrations } = collectionsOf(db);
  return {
    async listClosed(now) {
      const projection = { _id: 1 };
      const [waiting, unreachable, suspended] = await Promise.all([
        messages.distinct("waitsFor", { waitsFor: { $gte: "" } }) as Promise<string[]>,
        integrationHealth.find({ openUntil: { $gt: now } }).project<{ _id: string }>(projection)
          .toArray(),
        openIntegrations.find({ "suspended.at": { $gt: new Date(0) } })
          .project<{ _id: string }>(projection).toArray(),
      ]);
      return new Set([...waiting, ...[...unreachable, ...suspended].map(({ _id }) => _id)]);
    },
  };
}
