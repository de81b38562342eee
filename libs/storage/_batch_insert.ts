import { MAX_BATCH_RECIPIENTS, MAX_BATCH_SENDS, type Send } from "@posthaste/contracts";
import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";
import { isDuplicateKey } from "./_duplicate_key.ts";
import { toStored } from "./_stored_send.ts";

/** Why a batch takes no more. */
export type BatchRefusal = "closed" | "full";

const TRANSACTION = {
  readConcern: { level: "snapshot" },
  writeConcern: { w: "majority", journal: true },
} as const;

/**
 * Inserts a send and counts it in its batch, both or neither: a batch that has ended gets no send any more, and its
 * counts are exact whatever is lost.
 *
 * @returns A refusal, or whether the place of the send was free.
 */
export async function insertIntoBatch(
  db: Db,
  send: Send & { batchId: string },
): Promise<BatchRefusal | boolean> {
  const { batches, sends } = collectionsOf(db);
  const { accountId, batchId: _id, messageCount } = send;
  const isOpen = { _id, accountId, state: "open" } as const;
  try {
    return await db.client.withSession((session) =>
      session.withTransaction(async () => {
        // First: of two transactions that write the same document, the later one ends here and is restarted.
        const { matchedCount } = await batches.updateOne(
          {
            ...{ ...isOpen, sends: { $lt: MAX_BATCH_SENDS } },
            recipients: { $lte: MAX_BATCH_RECIPIENTS - messageCount },
          },
          { $inc: { recipients: messageCount, sends: 1 } },
          { session },
        );
        if (matchedCount === 0) {
          const open = await batches.countDocuments(isOpen, { limit: 1, session });
          return open > 0 ? "full" : "closed";
        }
        await sends.insertOne(toStored(send), { session });
        return true;
      }, TRANSACTION)
    );
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}
