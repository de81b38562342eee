import type { IntegrationEvent, Message } from "@posthaste/contracts";
import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";
import { countUndispatched } from "./waiting_sends.ts";
import { messageIdRange } from "./_message_document.ts";
import type { IntegrationTrouble } from "./integration_health.ts";

/** What an integration's mail came to lately. */
export interface RecentOutcomes {
  lastSent: Pick<Message, "_id"> & { at: Date } | null;
  lastFailed: Pick<Message, "_id"> & { at: Date; reason: string } | null;
}

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
  /** Finds the newest outcomes among the account's last sends: 200, and 20 of the integration. */
  recentOutcomes(accountId: string, id: number): Promise<RecentOutcomes>;
}

const SENDS_LOOKED_AT = 200;
const SENDS_READ = 20;
const MESSAGES_READ = 50;

/** Gives the look-ups of how integrations fared. */
export function integrationHistory(db: Db): IntegrationHistory {
  const { integrationEvents, integrationHealth, messages, sends } = collectionsOf(db);

  async function outcomesOf(accountId: string, sendId: string) {
    return await messages.find({ accountId, _id: messageIdRange(sendId) })
      .project<Pick<Message, "_id" | "state" | "finishedAt" | "reason">>({
        state: 1,
        finishedAt: 1,
        reason: 1,
      }).limit(MESSAGES_READ).toArray();
  }

  return {
    listIntegrationEvents: (accountId, id, { limit }) =>
      integrationEvents.find({ accountId, integrationId: `${accountId}/${id}` })
        .project<IntegrationEvent>({ _id: 0 }).sort({ at: -1 }).limit(limit).toArray(),
    findTrouble: (accountId, id) => integrationHealth.findOne({ _id: `${accountId}/${id}` }),
    async countParked(accountId, id, limit) {
      const integration = `${accountId}/${id}`;
      const [parked, undispatched] = await Promise.all([
        messages.countDocuments({ parkedFor: integration }, { limit }),
        countUndispatched(sends, { waitsFor: integration, limit }),
      ]);
      return Math.min(limit, parked + undispatched);
    },
    async recentOutcomes(accountId, id) {
      const latest = await sends.find({ accountId }).sort({ _id: -1 }).limit(SENDS_LOOKED_AT)
        .project<{ _id: string; integrationId: number }>({ integrationId: 1 }).toArray();
      const own = latest.filter(({ integrationId }) => integrationId === id).slice(0, SENDS_READ);
      const found = (await Promise.all(own.map(({ _id }) => outcomesOf(accountId, _id)))).flat()
        .filter(({ finishedAt }) => finishedAt !== null)
        .sort((a, b) => Number(b.finishedAt) - Number(a.finishedAt));
      const sent = found.find(({ state }) => state === "sent");
      const failed = found.find(({ state }) => state === "failed");
      return {
        lastSent: sent?.finishedAt ? { _id: sent._id, at: sent.finishedAt } : null,
        lastFailed: failed?.finishedAt
          ? { _id: failed._id, at: failed.finishedAt, reason: failed.reason ?? "" }
          : null,
      };
    },
  };
}
