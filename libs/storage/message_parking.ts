import { CLAIMABLE_STATES, type Message, messageIdOf } from "@posthaste/contracts";
import type { Collection, Db } from "mongodb";
import type { Claim } from "./message_claim.ts";
import { collectionsOf } from "./_collections.ts";
import { insertingFirst } from "./_first_attempt.ts";
import { materialize } from "./_materialize.ts";
import { UNTOUCHED } from "./_message_document.ts";
import { sendStore } from "./send_store.ts";

/** A message that has to wait for its integration's turn. */
export type Parking = Omit<Claim, "leaseMs"> & {
  /** `_id` of the integration. */
  parkedFor: string;
  /** A sentence for people: why it waits. */
  reason: string;
};

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
  /** Parks a message that nobody has claimed. Gives whether it is parked. */
  parkMessage(parking: Parking): Promise<boolean>;
  /**
   * Parks messages that were never claimed; those that were, or are parked for this reason, stay as
   * they are. Gives whether their send is in the ledger.
   */
  parkUntried(parking: UntriedParking): Promise<boolean>;
  /** `_id`s of the integrations that messages are parked for. */
  parkedIntegrations(): Promise<string[]>;
  /** How many messages were let go for an integration and have not come to an outcome. */
  countReleased(releasedFor: string): Promise<number>;
  /** Lets parked messages go, the oldest first; they are due now. */
  releaseParked(release: Release): Promise<Released[]>;
}

/** Gives the parking of messages. */
export function messageParking(db: Db): MessageParking {
  const { messages, sends } = collectionsOf(db);
  const { loadSend } = sendStore(db);
  return {
    parkMessage: (parking) =>
      insertingFirst(parking.attempt, (upsert) => park(messages, parking, upsert)),
    async parkUntried(parking) {
      const { sendId, indexes } = parking;
      const ids = indexes.map((index) => messageIdOf(sendId, index));
      if (await parkAll(messages, ids, parking) === ids.length) return true;
      if (await messages.countDocuments({ _id: { $in: ids } }) === ids.length) return true;
      const send = await loadSend(sendId);
      if (send === null) return false;
      await materialize(messages, send);
      await parkAll(messages, ids, parking);
      return true;
    },
    parkedIntegrations: () =>
      messages.distinct("parkedFor", { parkedFor: { $gte: "" } }) as Promise<string[]>,
    countReleased: (releasedFor) => messages.countDocuments({ releasedFor }),
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

async function park(
  messages: Collection<Message>,
  parking: Parking,
  upsert: boolean,
): Promise<boolean> {
  const { messageId, accountId, attempt, now, reason } = parking;
  const { sendId, index, email, acceptedAt } = parking;
  const filter = { _id: messageId, accountId, attempt };
  const change = changeOf(parking);
  const { matchedCount, upsertedCount } = await messages.updateOne({
    ...filter,
    state: { $in: [...CLAIMABLE_STATES] },
    // A message that waits in turns for the same reason has one line in its timeline.
    reason: { $ne: reason },
  }, {
    $set: change,
    $push: { timeline: { at: now, type: "deferred", attempt, detail: reason } },
    $setOnInsert: { sendId, index, email, acceptedAt, ...onInsert },
  }, { upsert });
  if (matchedCount + upsertedCount > 0) return true;
  const again = await messages.updateOne({
    ...filter,
    state: { $in: [...CLAIMABLE_STATES] },
    reason,
  }, { $set: change });
  return again.matchedCount > 0;
}

async function parkAll(
  messages: Collection<Message>,
  ids: string[],
  parking: UntriedParking,
): Promise<number> {
  const { accountId, at, reason } = parking;
  const { matchedCount } = await messages.updateMany({
    _id: { $in: ids },
    accountId,
    attempt: 0,
    state: { $in: [...CLAIMABLE_STATES] },
    reason: { $ne: reason },
  }, {
    $set: changeOf(parking),
    $push: { timeline: { at, type: "deferred", attempt: 0, detail: reason } },
  });
  return matchedCount;
}

function changeOf({ parkedFor, reason }: Pick<Parking, "parkedFor" | "reason">) {
  return {
    state: "deferred",
    parkedFor,
    releasedFor: null,
    nextAt: null,
    reason,
  } as const;
}

const { parkedFor: _p, releasedFor: _r, nextAt: _n, reason: _s, ...onInsert } = UNTOUCHED;
