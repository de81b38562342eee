import { isScheduled, type Message, type SmtpReply, startOf } from "@posthaste/contracts";
import { advance, beginOutcome, beginVoid, type Ending, nextAttempt } from "@posthaste/delivery";
import { allEnded, randomName } from "@posthaste/runtime";
import type { AnyBulkWriteOperation, Db, Filter } from "mongodb";
import { collectionsOf } from "./_collections.ts";
import { identityOf } from "./message_identity.ts";
import type { DeliveryLedgers } from "./delivery_ledger.ts";
import type { AttemptOutcome } from "./stored_register.ts";
import { messageStore, type UnfinishedMessage } from "./message_store.ts";
import { sendStore } from "./send_store.ts";

/** The moment up to which the restored ledger is complete. */
export interface Loss {
  now: Date;
  /** When the last mailer of the lost system stopped. It tried nothing that was due later. */
  lostAt: Date;
}

/** An outcome that is known from another source than the ledger. */
export interface KnownOutcome {
  accountId: string;
  messageId: string;
  attempt: number;
  at: Date;
  outcome: "sent" | "failed";
  reason?: string | undefined;
  reply?: SmtpReply | undefined;
}

/** Held messages of an integration. */
export interface HeldGroup {
  accountId: string;
  integrationId: number;
  count: number;
  /** Times of acceptance of the first and the last. */
  oldest: Date;
  newest: Date;
}

/** Selects held messages of an account. */
export interface HeldQuery {
  integrationId?: number | undefined;
  /** Accepted at this time or later. */
  from?: Date | undefined;
  /** Accepted before this. */
  until?: Date | undefined;
}

/**
 * Operations that make a restored ledger safe. A message that it shows as waiting may have been sent since.
 * Such messages are held as `unknown`, so that no worker claims them, and a person decides.
 */
export interface RestoredLedger {
  /**
   * Holds every message that is not finished. Yields the number of held messages after each batch of sends,
   * the total at last. No service may run meanwhile. It may be repeated.
   */
  holdUnfinished(loss: Loss): AsyncIterable<number>;
  /** Writes outcomes of held messages that are known from elsewhere. Returns how many it changed. */
  noteKnownOutcomes(outcomes: KnownOutcome[]): Promise<number>;
  /** Counts held messages, by integration. */
  heldGroups(): Promise<HeldGroup[]>;
  /** Yields the ids of held messages of an account, the oldest first. */
  heldMessages(accountId: string, query?: HeldQuery): AsyncIterable<string>;
  /** Ends held messages as failed, so that they are not sent again. Returns how many. */
  closeHeld(accountId: string, ids: string[], now: Date): Promise<number>;
}

/** The reason of a held message, by which it is found. */
const HELD_REASON = "Held after a restore: it may have been sent between the backup and the loss";

const CLOSED_REASON =
  "Not sent again after a restore: it may have been sent between the backup and the loss";

const BATCH_SIZE = 100;
const HELD: Filter<Message> = { state: "unknown", reason: HELD_REASON };

const NOTHING_TO_COME = {
  nextAt: null,
  waitsFor: null,
} as const satisfies Partial<Message>;

/** Returns the operations on a restored ledger. */
export function restoredLedger(db: Db, ledgers: DeliveryLedgers): RestoredLedger {
  const { accounts, messages, sends } = collectionsOf(db);
  const { ledgerOf } = ledgers;
  const { loadMany: loadSends } = sendStore(db);
  const { unfinished: unfinishedMessages } = messageStore(db, ledgers);

  async function hold(ids: readonly string[], loss: Loss): Promise<number> {
    let held = 0;
    for await (const send of loadSends([...ids])) {
      // It was not started before the loss.
      if (isScheduled(send) && startOf(send) > loss.lostAt) continue;
      const open = (await unfinishedMessages(send)).filter((message) => isToHold(message, loss));
      await allEnded(open, async (message) => {
        const identity = identityOf(send, message.index);
        if (identity === null) return;
        await advance(holding(message, loss), ledgerOf(identity));
        const begun = begunOutcome(message);
        if (begun !== undefined) {
          const completed = afterBegun(message, begun);
          if (completed === undefined || !isToHold(completed, loss)) return;
          await advance(holding(completed, loss), ledgerOf(identity));
        }
        held++;
      });
    }
    return held;
  }

  async function groupsOf(accountId: string): Promise<HeldGroup[]> {
    const found = await messages.aggregate<Omit<HeldGroup, "accountId"> & { _id: number }>([
      { $match: { accountId, ...HELD } },
      { $group: { _id: "$sendId", count: { $sum: 1 }, at: { $min: "$acceptedAt" } } },
      { $lookup: { from: "sends", localField: "_id", foreignField: "_id", as: "send" } },
      {
        $group: {
          _id: { $first: "$send.integrationId" },
          count: { $sum: "$count" },
          oldest: { $min: "$at" },
          newest: { $max: "$at" },
        },
      },
      { $sort: { _id: 1 } },
    ], { allowDiskUse: true }).toArray();
    return found.map(({ _id, ...group }) => ({ ...group, accountId, integrationId: _id }));
  }

  return {
    async *holdUnfinished(loss) {
      let held = 0;
      let batch: string[] = [];
      // By the reconciler's index, which contains no settled sends.
      const found = sends.find({ settledAt: null, reconcileAt: { $gte: new Date(0) } })
        .project<{ _id: string }>({ _id: 1 });
      for await (const { _id } of found) {
        batch.push(_id);
        if (batch.length < BATCH_SIZE) continue;
        yield held += await hold(batch, loss);
        batch = [];
      }
      if (batch.length > 0) held += await hold(batch, loss);
      yield held;
    },
    async noteKnownOutcomes(outcomes) {
      if (outcomes.length === 0) return 0;
      // In order: a failed message may have been sent later, on request.
      const { modifiedCount } = await messages.bulkWrite(outcomes.map(noting));
      return modifiedCount;
    },
    async heldGroups() {
      const groups: HeldGroup[] = [];
      for (const { _id } of await accounts.find().project<{ _id: string }>({ _id: 1 }).toArray()) {
        groups.push(...await groupsOf(_id));
      }
      return groups;
    },
    async *heldMessages(accountId, { integrationId, from, until } = {}) {
      const found = messages.find({
        accountId,
        ...HELD,
        ...(from || until
          ? { acceptedAt: { ...(from && { $gte: from }), ...(until && { $lt: until }) } }
          : {}),
      }).sort({ _id: 1 }).project<{ _id: string; sendId: string }>({ sendId: 1 });
      let known = { sendId: "", fits: false };
      for await (const { _id, sendId } of found) {
        if (integrationId !== undefined && known.sendId !== sendId) {
          const send = { _id: sendId, accountId, integrationId };
          known = { sendId, fits: await sends.countDocuments(send, { limit: 1 }) > 0 };
        }
        if (integrationId === undefined || known.fits) yield _id;
      }
    },
    async closeHeld(accountId, ids, now) {
      const { modifiedCount } = await messages.updateMany(
        { _id: { $in: ids }, accountId, ...HELD },
        [{
          $set: {
            state: "failed",
            finishedAt: now,
            reason: CLOSED_REASON,
            timeline: line({ at: now, type: "failed", attempt: "$attempt", detail: CLOSED_REASON }),
          },
        }],
      );
      const sendIds = [...new Set(ids.map((id) => `snd_${id.slice(4, -4)}`))];
      // So that the reconciler settles the sends that have finished now.
      await sends.updateMany({ _id: { $in: sendIds }, accountId, settledAt: null }, {
        $min: { reconcileAt: now },
      });
      return modifiedCount;
    },
  };
}

/**
 * Returns whether to hold a message. Held messages stay, and those deferred past the loss were not retried.
 */
function isToHold({ outcome, nextAt, waitsFor }: UnfinishedMessage, { lostAt }: Loss): boolean {
  if (outcome?.state === "unknown") return false;
  const isLater = nextAt !== null && nextAt > lostAt && waitsFor === null;
  return outcome?.state !== "deferred" || !isLater;
}

/** Returns the outcome in the register of a message, which the lost worker did not write any more. */
function begunOutcome({ register }: UnfinishedMessage): AttemptOutcome | undefined {
  return register && "void" in register.register ? register.register.void : undefined;
}

/** Returns a message after its begun outcome is written; `undefined` if that is its last. */
function afterBegun(
  { outcome: last, ...message }: UnfinishedMessage,
  begun: AttemptOutcome,
): UnfinishedMessage | undefined {
  const { state, at, nextAt, waitsFor = null } = begun;
  if (state !== "deferred") return undefined;
  const outcome = { attempt: nextAttempt(last), state };
  return { ...message, outcome, register: undefined, waitsFor, nextAt: nextAt ?? at };
}

/** Ends the next attempt of a message: a worker that still has its event finds that taken. */
function holding(message: UnfinishedMessage, { now }: Loss): Ending<AttemptOutcome> {
  const { outcome, register } = message;
  const n = nextAttempt(outcome);
  const held: AttemptOutcome = {
    ...{ state: "unknown", unknownAttempt: n, at: now, reason: HELD_REASON },
    lines: [{
      ...{ at: now, type: "unknown", detail: HELD_REASON, ambiguous: true },
      attempt: register === undefined ? n - 1 : n,
    }],
  };
  if (register !== undefined) {
    return beginOutcome({ n, outcome: begunOutcome(message) ?? held });
  }
  return beginVoid({ n, by: randomName(), outcome: held });
}

/** Writes an outcome. A message that was sent at last may have failed before, and then been retried. */
function noting(known: KnownOutcome): AnyBulkWriteOperation<Message> {
  const { accountId, messageId: _id, attempt, at, outcome, reason = null, reply = null } = known;
  const may: Filter<Message>[] = outcome === "sent" ? [HELD, { state: "failed" }] : [HELD];
  const detail = reason ?? reply?.response;
  return {
    updateOne: {
      filter: { _id, accountId, $or: may },
      update: {
        $set: { ...NOTHING_TO_COME, state: outcome, finishedAt: at, reason, reply },
        $max: { attempt },
        $push: {
          timeline: { at, type: outcome, attempt, ...(detail === undefined ? {} : { detail }) },
        },
      },
    },
  };
}

function line(entry: object) {
  return { $concatArrays: ["$timeline", [entry]] };
}
