import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";
import { isDuplicateKey } from "./_duplicate_key.ts";
import { UNTOUCHED } from "./_message_document.ts";
import { type MessageIdentity, senderOf } from "./message_identity.ts";

/** A message that must wait until a time, before any attempt. */
export type Postponement = MessageIdentity & {
  /** The last attempt that has an outcome. */
  attempt: number;
  now: Date;
  /** When it is tried. */
  nextAt: Date;
  /** A sentence for people: why it waits. */
  reason: string;
};

/** Postponing of messages that cannot be prepared yet. */
export interface MessagePostponement {
  /** Makes a message wait until a time. Returns false if an attempt was made since. */
  postponeMessage(postponement: Postponement): Promise<boolean>;
}

const { waitsFor, nextAt: _n, reason: _r, ...ON_INSERT } = UNTOUCHED;

/** Returns the postponing of messages. */
export function messagePostponement(db: Db): MessagePostponement {
  const { messages } = collectionsOf(db);

  async function write(
    postponement: Postponement,
    { upsert }: { upsert: boolean },
  ): Promise<boolean> {
    const { messageId, accountId, attempt, now, reason, nextAt } = postponement;
    const { sendId, index, email, copies, acceptedAt, integration, from } = postponement;
    const filter = { _id: messageId, accountId, attempt, state: "deferred" } as const;
    const change = { state: "deferred", waitsFor, nextAt, reason, ...senderOf({ from }) } as const;
    const { matchedCount, upsertedCount } = await messages.updateOne({
      ...filter,
      // A message that waits again for the same reason has one line in its timeline.
      reason: { $ne: reason },
    }, {
      $set: change,
      $push: { timeline: { at: now, type: "deferred", attempt, detail: reason } },
      $setOnInsert: {
        ...{ sendId, index, email, acceptedAt, integration, ...ON_INSERT },
        ...(copies === undefined ? {} : { copies }),
      },
    }, { upsert });
    if (matchedCount + upsertedCount > 0) return true;
    return (await messages.updateOne({ ...filter, reason }, { $set: change })).matchedCount > 0;
  }

  return {
    async postponeMessage(postponement) {
      if (postponement.attempt > 0) return await write(postponement, { upsert: false });
      try {
        return await write(postponement, { upsert: true });
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        // The document exists and does not match, or it was written a moment ago and matches.
        return await write(postponement, { upsert: false });
      }
    },
  };
}
