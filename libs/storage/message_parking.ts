import type { Message } from "@posthaste/contracts";
import type { Collection, Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";
import { isDuplicateKey } from "./_duplicate_key.ts";
import { UNTOUCHED } from "./_message_document.ts";
import type { MessageIdentity } from "./delivery_ledger.ts";

/** A message that has to wait for its integration's turn. */
export type Parking = MessageIdentity & {
  /** The last attempt that has an outcome. */
  attempt: number;
  now: Date;
  /** `_id` of the integration. */
  waitsFor: string;
  /** A sentence for people: why it waits. */
  reason: string;
};

/** A message that has to wait for a time, before anything was tried. */
export type PutOff = Omit<Parking, "waitsFor"> & { nextAt: Date };

/** Messages that wait in the ledger until there is room for them, outside of every queue. */
export interface MessageParking {
  /** Parks a message. Gives whether it is parked: not if it was tried since. */
  parkMessage(parking: Parking): Promise<boolean>;
  /** Has a message wait until a time. Returns whether it waits: not if it was tried since. */
  putOffMessage(putOff: PutOff): Promise<boolean>;
}

/** Gives the parking of messages. */
export function messageParking(db: Db): MessageParking {
  const { messages } = collectionsOf(db);

  return {
    parkMessage: (parking) => wait(messages, parking, changeOf(parking)),
    putOffMessage: (putOff) => {
      const { reason, nextAt } = putOff;
      return wait(messages, putOff, { state: "deferred", waitsFor: null, nextAt, reason });
    },
  };
}

type Wait = Pick<Message, "state" | "waitsFor" | "nextAt" | "reason">;

async function wait(
  messages: Collection<Message>,
  message: Omit<Parking, "waitsFor">,
  change: Wait,
): Promise<boolean> {
  if (message.attempt > 0) return await write(messages, message, { change, upsert: false });
  try {
    return await write(messages, message, { change, upsert: true });
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    // The document is there and does not match; or it was written, matching, a moment ago.
    return await write(messages, message, { change, upsert: false });
  }
}

async function write(
  messages: Collection<Message>,
  parking: Omit<Parking, "waitsFor">,
  { change, upsert }: { change: Wait; upsert: boolean },
): Promise<boolean> {
  const { messageId, accountId, attempt, now, reason } = parking;
  const { sendId, index, email, acceptedAt, integration } = parking;
  const filter = { _id: messageId, accountId, attempt };
  const { matchedCount, upsertedCount } = await messages.updateOne({
    ...filter,
    state: "deferred",
    // A message that waits in turns for the same reason has one line in its timeline.
    reason: { $ne: reason },
  }, {
    $set: change,
    $push: { timeline: { at: now, type: "deferred", attempt, detail: reason } },
    $setOnInsert: { sendId, index, email, acceptedAt, integration, ...onInsert },
  }, { upsert });
  if (matchedCount + upsertedCount > 0) return true;
  const again = await messages.updateOne({
    ...filter,
    state: "deferred",
    reason,
  }, { $set: change });
  return again.matchedCount > 0;
}

function changeOf({ waitsFor, reason, now }: Pick<Parking, "waitsFor" | "reason" | "now">) {
  // Due as soon as there is room.
  return { state: "deferred", waitsFor, nextAt: now, reason } as const;
}

const { waitsFor: _p, nextAt: _n, reason: _s, ...onInsert } = UNTOUCHED;
