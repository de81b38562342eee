import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";

/** The look-up of integrations whose mail cannot be sent. */
export interface BlockedIntegrations {
  /**
   * Lists the integrations (`_id`) that are suspended, whose circuit is open, or that have mail which waits since they
   * refused a login, or came back because their server takes no more. Other mail must wait for it.
   */
  listBlocked(now: Date): Promise<Set<string>>;
}

/** Returns the look-up of blocked integrations. */
export function blockedIntegrations(db: Db): BlockedIntegrations {
  const { integrationHealth, messages, openIntegrations, sends } = collectionsOf(db);
  return {
    async listBlocked(now) {
      const projection = { _id: 1 };
      const [waiting, returned, unreachable, suspended] = await Promise.all([
        messages.distinct("waitsFor", { waitsFor: { $gte: "" } }) as Promise<string[]>,
        sends.distinct("waitsFor", { returned: "mailer", waitsFor: { $gte: "" } }) as Promise<
          string[]
        >,
        integrationHealth.find({ openUntil: { $gt: now } }).project<{ _id: string }>(projection)
          .toArray(),
        openIntegrations.find({ "suspended.at": { $gt: new Date(0) } })
          .project<{ _id: string }>(projection).toArray(),
      ]);
      return new Set([
        ...waiting,
        ...returned,
        ...[...unreachable, ...suspended].map(({ _id }) => _id),
      ]);
    },
  };
}
