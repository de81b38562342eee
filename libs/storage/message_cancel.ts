import {
  CLAIMABLE_STATES,
  isSendId,
  type Message,
  parseMessageId,
  type Send,
} from "@posthaste/contracts";
import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";
import { materialize } from "./_materialize.ts";
import { messageIdRange, readTimeline } from "./_message_document.ts";
import { sendStore } from "./send_store.ts";

/** Keeping messages from being sent. */
export interface MessageCancel {
  /**
   * Cancels a message that nobody sends at the moment. From then on no worker can claim it, wherever its
   * events are. Gives the message as it is then; `null` if it is not there or in none of
   * {@linkcode CLAIMABLE_STATES}.
   */
  cancelMessage(accountId: string, id: string, now: Date): Promise<Message | null>;
  /** Cancels all messages of a send that can be. Gives how many; `null` if there is no such send. */
  cancelSend(accountId: string, sendId: string, now: Date): Promise<number | null>;
}

const REASON = "Canceled on request";

/** Gives the cancelling of messages. */
export function messageCancel(db: Db): MessageCancel {
  const { messages, sends } = collectionsOf(db);
  const { findSend } = sendStore(db);

  // Without a document the next claim would insert one, and none could be refused.
  async function withDocuments(accountId: string, sendId: string): Promise<Send | null> {
    const send = await findSend(accountId, sendId);
    if (send !== null) await materialize(messages, [send]);
    return send;
  }

  /** So that the sweeper settles it soon, if it was the last. */
  async function lookSoon({ _id, accountId }: Pick<Send, "_id" | "accountId">, now: Date) {
    await sends.updateOne({ _id, accountId, settledAt: null }, { $min: { sweepAt: now } });
  }

  return {
    async cancelMessage(accountId, _id, now) {
      const parsed = parseMessageId(_id);
      if (parsed === undefined) return null;
      if (await messages.countDocuments({ _id, accountId }, { limit: 1 }) === 0) {
        await withDocuments(accountId, parsed.sendId);
      }
      const canceled = await messages.findOneAndUpdate(
        { _id, accountId, state: { $in: [...CLAIMABLE_STATES] } },
        cancelation(now),
        { returnDocument: "after" },
      );
      if (canceled === null) return null;
      await lookSoon({ _id: parsed.sendId, accountId }, now);
      return readTimeline(canceled);
    },
    async cancelSend(accountId, sendId, now) {
      const send = isSendId(sendId) ? await withDocuments(accountId, sendId) : null;
      if (send === null) return null;
      const { modifiedCount } = await messages.updateMany({
        _id: messageIdRange(sendId),
        accountId,
        state: { $in: [...CLAIMABLE_STATES] },
      }, cancelation(now));
      await lookSoon(send, now);
      return modifiedCount;
    },
  };
}

function cancelation(now: Date) {
  const entry = { at: now, type: "canceled", attempt: "$attempt", detail: REASON };
  return [{
    $set: {
      state: "canceled",
      finishedAt: now,
      reason: REASON,
      nextAt: null,
      parkedFor: null,
      releasedFor: null,
      timeline: { $concatArrays: ["$timeline", [entry]] },
    },
  }];
}
