import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";

/** The look-up of integrations whose mail cannot be sent. */
export interface BlockedIntegrations {
  /**
   * Lists the integrations (`_id`) that are suspended, whose circuit is open, that have mail which waits since they refused
   * a login, or small sends that have waited for five seconds. Other mail must wait for it.
   */
  listBlocked(now: Date): Promise<Set<string>>;
}

/**
 * Time for which a small send waits in the ledger before new ones wait behind it, in milliseconds. The scheduler dispatches
 * those of a server that keeps up much sooner.
 */
const BEHIND_MS = 5000;

/** Returns the look-up of blocked integrations. */
export function blockedIntegrations(db: Db): BlockedIntegrations {
  const { integrationHealth, messages, openIntegrations, sends } = collectionsOf(db);
  return {
    // Each query has an index.
    async listBlocked(now) {
      const projection = { _id: 1 };
      const [waiting, behind, unreachable, suspended] = await Promise.all([
        messages.distinct("waitsFor", { waitsFor: { $gte: "" } }) as Promise<string[]>,
        sends.distinct("waitsFor", {
          ...{ waitsFor: { $gte: "" }, priority: "transactional" },
          acceptedAt: { $lt: new Date(now.getTime() - BEHIND_MS) },
        }) as Promise<string[]>,
        integrationHealth.find({ openUntil: { $gt: now } }).project<{ _id: string }>(projection)
          .toArray(),
        openIntegrations.find({ "suspended.at": { $gt: new Date(0) } })
          .project<{ _id: string }>(projection).toArray(),
      ]);
      return new Set([
        ...waiting,
        ...behind,
        ...[...unreachable, ...suspended].map(({ _id }) => _id),
      ]);
    },
  };
}
