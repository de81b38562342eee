import type { Send } from "@posthaste/contracts";
import type { Collection, Db } from "mongodb";
import { collectionsOf, type StoredSend } from "./_collections.ts";
import { writeGroup } from "./_write_group.ts";
import type { SendHead } from "./send_store.ts";

/** A send of which not all has been dispatched. */
export type WaitingSend = SendHead & { next: number };

/** Sends that wait in the ledger until their integration has room for them. */
export interface WaitingSends {
  /** Queues a send that was accepted with `next`: it starts as soon as there is capacity. Idempotent. */
  queueSend(send: Pick<Send, "_id" | "accountId" | "integrationId">): Promise<void>;
  /** Lists the integrations (`_id`) that sends wait for. */
  integrationsWaitedFor(): Promise<string[]>;
  /** Lists the sends that wait for an integration, in the order in which they go: small ones first. */
  listSends(integration: string, limit: number): Promise<WaitingSend[]>;
  /**
   * Notes that the recipients of a send before `to` are dispatched. The reconciler looks after them at a time.
   * Returns whether it is so now: not if the send was canceled, or dispatched otherwise. Of two that do the same
   * at once both hear that it is. What is asked for at once is one command.
   */
  advanceSend(send: WaitingSend, to: number, times: { reconcileAt: Date }): Promise<boolean>;
}

/** Counts the messages of sends that wait and were never dispatched; of no more than `limit` sends. */
export async function countUndispatched(
  sends: Collection<StoredSend>,
  { waitsFor, limit }: { waitsFor: string | { $gte: string }; limit: number },
): Promise<number> {
  const [sum] = await sends.aggregate<{ count: number }>([
    { $match: { waitsFor } },
    { $limit: limit },
    { $group: { _id: null, count: { $sum: { $subtract: ["$messageCount", "$next"] } } } },
  ]).toArray();
  return sum?.count ?? 0;
}

/** Returns the operations on sends that wait. */
export function waitingSends(db: Db): WaitingSends {
  const { sends } = collectionsOf(db);
  const advance = writeGroup(sends);
  return {
    async queueSend({ _id, accountId, integrationId }) {
      await sends.updateOne(
        { _id, accountId, next: { $gte: 0 }, settledAt: null },
        { $set: { waitsFor: `${accountId}/${integrationId}` } },
      );
    },
    integrationsWaitedFor: () =>
      sends.distinct("waitsFor", { waitsFor: { $gte: "" } }) as Promise<string[]>,
    listSends: (waitsFor, limit) =>
      sends.find({ waitsFor }).sort({ priority: -1, acceptedAt: 1 }).limit(limit)
        .project<WaitingSend>({ request: 0, emails: 0 }).toArray(),
    advanceSend: ({ _id, next, messageCount }, to, { reconcileAt }) =>
      advance(
        to < messageCount
          ? {
            filter: { _id, next },
            update: { $set: { next: to }, $min: { reconcileAt } },
            done: { _id, next: to },
          }
          : {
            filter: { _id, next },
            update: { $min: { reconcileAt }, $unset: { next: "", waitsFor: "" } },
            done: { _id, next: { $exists: false }, reconcileAt: { $lte: reconcileAt } },
          },
      ),
  };
}
