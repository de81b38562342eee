import { type Message, messageIdOf } from "@posthaste/contracts";
import type { Collection, Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";
import { hasOnlyDuplicateKeys, isDuplicateKey } from "./_duplicate_key.ts";
import { queuedMessage, UNTOUCHED } from "./_message_document.ts";
import type { MessageIdentity } from "./delivery_ledger.ts";
import { sendStore } from "./send_store.ts";

/** A message that has to wait for its integration's turn. */
export type Parking = MessageIdentity & {
  /** The last attempt that has an outcome. */
  attempt: number;
  now: Date;
  /** `_id` of the integration. */
  parkedFor: string;
  /** A sentence for people: why it waits. */
  reason: string;
};

/** A message that has to wait for a time, before anything was tried. */
export type PutOff = Omit<Parking, "parkedFor"> & { nextAt: Date };

/** A part of a send that nobody has begun, and that has to wait for its integration's turn. */
export interface UntriedParking {
  sendId: string;
  accountId: string;
  /** Positions in the request's `to`. */
  indexes: number[];
  /** `_id` of the integration. */
  parkedFor: string;
  /** A sentence for people: why they wait. */
  reason: string;
  at: Date;
}

/** A parked message that was let go. */
export type Released = Pick<Message, "_id" | "sendId" | "accountId" | "index" | "attempt">;

/** Which parked messages to let go. */
export interface Release {
  /** `_id` of the integration. */
  parkedFor: string;
  limit: number;
  now: Date;
  /** The sweeper looks after them at this time. */
  sweepAt: Date;
  /** Only those accepted before this. */
  acceptedBefore?: Date | undefined;
}

/** Messages that wait in the ledger until there is room for them, outside of every queue. */
export interface MessageParking {
  /** Parks a message. Gives whether it is parked: not if it was tried since. */
  parkMessage(parking: Parking): Promise<boolean>;
  /** Has a message wait until a time. Returns whether it waits: not if it was tried since. */
  putOffMessage(putOff: PutOff): Promise<boolean>;
  /**
   * Parks messages that were never claimed; those that were, or are parked for this reason, stay as
   * they are. Gives the ids of the sends that are not in the ledger.
   */
  parkUntried(parkings: UntriedParking[]): Promise<{ unknown: string[] }>;
  /** `_id`s of the integrations that messages are parked for. */
  parkedIntegrations(): Promise<string[]>;
  /** How many messages were let go for an integration and have not come to an outcome. */
  countReleased(releasedFor: string): Promise<number>;
  /** Gives how many messages were let go for an integration and parked again, each once. */
  takeReturned(releasedFor: string): Promise<number>;
  /** Lets parked messages go, the oldest first; they are due now. */
  releaseParked(release: Release): Promise<Released[]>;
}

/** Gives the parking of messages. */
export function messageParking(db: Db): MessageParking {
  const { messages, sends } = collectionsOf(db);
  const { loadSends } = sendStore(db);

  /** Writes documents for those that have none. Gives the ids of the sends that are not in the ledger. */
  async function insertParked(parkings: readonly UntriedParking[]): Promise<string[]> {
    const bySend = Map.groupBy(parkings, ({ sendId }) => sendId);
    const unknown = new Set(bySend.keys());
    for await (const send of loadSends([...unknown])) {
      unknown.delete(send._id);
      const documents = bySend.get(send._id)?.flatMap((parking) =>
        parking.indexes.flatMap((index) => {
          const { at, reason } = parking;
          const message = queuedMessage(send, index);
          const line = { at, type: "deferred" as const, attempt: 0, detail: reason };
          return message === null
            ? []
            : { ...message, ...changeOf(parking), timeline: [...message.timeline, line] };
        })
      );
      await messages.insertMany(documents ?? [], { ordered: false }).catch((error) => {
        if (!hasOnlyDuplicateKeys(error)) throw error;
      });
    }
    return [...unknown];
  }

  return {
    parkMessage: (parking) => wait(messages, parking, changeOf(parking)),
    putOffMessage: (putOff) => {
      const { reason, nextAt } = putOff;
      return wait(messages, putOff, { state: "deferred", parkedFor: null, nextAt, reason });
    },
    async parkUntried(parkings) {
      if (parkings.length === 0) return { unknown: [] };
      const wanted = parkings.reduce((sum, { indexes }) => sum + indexes.length, 0);
      if (await parkAll(messages, parkings) === wanted) return { unknown: [] };
      return { unknown: await insertParked(parkings) };
    },
    parkedIntegrations: () =>
      messages.distinct("parkedFor", { parkedFor: { $gte: "" } }) as Promise<string[]>,
    countReleased: (releasedFor) => messages.countDocuments({ releasedFor, parkedFor: null }),
    async takeReturned(releasedFor) {
      const { modifiedCount } = await messages.updateMany(
        { releasedFor, parkedFor: releasedFor },
        { $set: { releasedFor: null } },
      );
      return modifiedCount;
    },
    async releaseParked({ parkedFor, limit, now, sweepAt, acceptedBefore }) {
      const found = await messages.find({
        parkedFor,
        state: "deferred",
        ...(acceptedBefore === undefined ? {} : { acceptedAt: { $lt: acceptedBefore } }),
      }).sort({ acceptedAt: 1 }).limit(limit)
        .project<Released>({ sendId: 1, accountId: 1, index: 1, attempt: 1 }).toArray();
      if (found.length === 0) return [];
      // First, so that a releaser that is lost after the next step leaves nothing behind.
      const sendIds = [...new Set(found.map(({ sendId }) => sendId))];
      const unsettled = { _id: { $in: sendIds }, settledAt: null };
      await sends.updateMany(unsettled, { $min: { sweepAt } });
      await messages.updateMany({ _id: { $in: found.map(({ _id }) => _id) }, parkedFor }, {
        $set: { parkedFor: null, releasedFor: parkedFor, nextAt: now },
      });
      return found;
    },
  };
}

type Wait = Pick<Message, "state" | "parkedFor" | "nextAt" | "reason">;

async function wait(
  messages: Collection<Message>,
  message: Omit<Parking, "parkedFor">,
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
  parking: Omit<Parking, "parkedFor">,
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

async function parkAll(
  messages: Collection<Message>,
  parkings: readonly UntriedParking[],
): Promise<number> {
  const operations = parkings.map((parking) => {
    const { accountId, at, reason } = parking;
    return {
      updateMany: {
        filter: {
          _id: { $in: idsOf(parking) },
          accountId,
          attempt: 0,
          state: "deferred" as const,
          reason: { $ne: reason },
        },
        update: {
          $set: changeOf(parking),
          $push: { timeline: { at, type: "deferred" as const, attempt: 0, detail: reason } },
        },
      },
    };
  });
  const { matchedCount } = await messages.bulkWrite(operations, { ordered: false });
  return matchedCount;
}

function idsOf({ sendId, indexes }: UntriedParking): string[] {
  return indexes.map((index) => messageIdOf(sendId, index));
}

function changeOf({ parkedFor, reason }: Pick<Parking, "parkedFor" | "reason">) {
  return {
    state: "deferred",
    // What it was released for stays: the releaser wants to know what came back.
    parkedFor,
    nextAt: null,
    reason,
  } as const;
}

const { parkedFor: _p, nextAt: _n, reason: _s, ...onInsert } = UNTOUCHED;
