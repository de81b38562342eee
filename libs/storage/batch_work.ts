import type { Batch, Send } from "@posthaste/contracts";
import type { Db } from "mongodb";
import { collectionsOf, type StoredBatch } from "./_collections.ts";
import { endOf, toBatch } from "./batch_store.ts";
import type { FinishedSend } from "./send_store.ts";

/** A part of the sends of a batch, in the order of their acceptance. */
export interface BatchPart {
  ids: string[];
  /** Whether there are no more. */
  isLast: boolean;
}

/** How much of a batch one round handles. */
export interface PartLimits {
  sends: number;
  /** At least one send is in a part, however many messages it has. */
  messages: number;
}

/** What the tracker does with batches. */
export interface BatchWork {
  /** Lists batches with work that is due: those that were left longest come first. */
  listDue(now: Date, limit: number): Promise<Batch[]>;
  /** Ends an open batch whose time is up: closes it if its mail has started, else cancels it. */
  endOverdue(batch: Pick<Batch, "_id" | "accountId" | "start">, now: Date): Promise<void>;
  /** Returns the next sends of a batch, after `progress`. */
  nextPart(
    batch: Pick<Batch, "_id" | "accountId" | "progress">,
    limits: PartLimits,
  ): Promise<BatchPart>;
  /**
   * Lets held sends of a closed batch start: now, or at the time that the batch is scheduled for. The reconciler
   * examines them at `reconcileAt`. Returns how many it released.
   */
  release(
    batch: Pick<Batch, "_id" | "accountId" | "integrationId" | "notBefore">,
    ids: readonly string[],
    times: { now: Date; reconcileAt: Date },
  ): Promise<number>;
  /** Holds all sends of a canceled batch that are not completely dispatched: no more of them leaves meanwhile. */
  hold(batch: Pick<Batch, "_id" | "accountId">): Promise<void>;
  /** Notes how far the work on a batch has come; `null`: there is nothing left to do. */
  noteProgress(
    batch: Pick<Batch, "_id" | "accountId" | "state">,
    progress: string | null,
    now: Date,
  ): Promise<void>;
  /** Notes the states of the messages of finished sends, for the counts of their batches. */
  noteEnds(finished: readonly FinishedSend[]): Promise<void>;
  /** Removes batches created before a time that need no work. Returns their number. */
  removeOld(before: Date): Promise<number>;
}

/** Returns the tracker's operations on batches. */
export function batchWork(db: Db): BatchWork {
  const { batches, sends } = collectionsOf(db);
  return {
    async listDue(now, limit) {
      // The planner needs a lower bound to see that the partial index fits.
      const found = await batches.find({ dueAt: { $gt: new Date(0), $lte: now } })
        .sort({ dueAt: 1 }).limit(limit).project<StoredBatch>({ request: 0 }).toArray();
      return found.map(toBatch);
    },
    async endOverdue({ _id, accountId, start }, now) {
      await batches.updateOne(
        { _id, accountId, state: "open", closesAt: { $lte: now } },
        endOf(start === "now" ? "closed" : "canceled", now),
      );
    },
    async nextPart({ _id: batchId, accountId, progress = "" }, limits) {
      const found = await sends.find({ accountId, batchId, _id: { $gt: progress } })
        .sort({ _id: 1 }).limit(limits.sends)
        .project<Pick<Send, "_id" | "messageCount">>({ _id: 1, messageCount: 1 }).toArray();
      const ids: string[] = [];
      let messages = 0;
      for (const { _id, messageCount } of found) {
        messages += messageCount;
        if (ids.length > 0 && messages > limits.messages) break;
        ids.push(_id);
      }
      return { ids, isLast: found.length < limits.sends && ids.length === found.length };
    },
    async release(batch, ids, { now, reconcileAt }) {
      const { _id: batchId, accountId, integrationId, notBefore } = batch;
      const isLater = notBefore !== undefined && notBefore > now;
      const change = isLater
        ? { notBefore, waitsUntil: notBefore, reconcileAt: after(notBefore, { now, reconcileAt }) }
        : { notBefore: now, waitsFor: `${accountId}/${integrationId}`, reconcileAt };
      const { modifiedCount } = await sends.updateMany(
        { _id: { $in: [...ids] }, accountId, batchId, held: true },
        { $set: change, $unset: { held: "" } },
      );
      return modifiedCount;
    },
    async hold({ _id: batchId, accountId }) {
      await sends.updateMany({ accountId, batchId, settledAt: null, next: { $gte: 0 } }, {
        $set: { held: true },
        $unset: { waitsFor: "", waitsUntil: "" },
      });
    },
    async noteProgress({ _id, accountId, state }, progress, now) {
      await batches.updateOne(
        { _id, accountId, state },
        progress === null
          ? { $unset: { dueAt: "", progress: "" } }
          // From now on others were left longer: they are next.
          : { $max: { progress }, $set: { dueAt: now } },
      );
    },
    async noteEnds(finished) {
      const operations = finished.flatMap(({ _id, accountId, batchId, states }) =>
        batchId === undefined ? [] : {
          updateOne: { filter: { _id, accountId }, update: { $set: { endStates: states } } },
        }
      );
      if (operations.length > 0) await sends.bulkWrite(operations, { ordered: false });
    },
    async removeOld(before) {
      const old = {
        ...{ createdAt: { $lt: before }, dueAt: { $exists: false } },
        // Its sends are as old as their start.
        notBefore: { $not: { $gte: before } },
      };
      return (await batches.deleteMany(old)).deletedCount;
    },
  };
}

/** Returns a time as long after the start as `reconcileAt` is after now. */
function after(start: Date, { now, reconcileAt }: { now: Date; reconcileAt: Date }): Date {
  return new Date(start.getTime() + reconcileAt.getTime() - now.getTime());
}
