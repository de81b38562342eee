import { RECONCILE_AFTER_MS, type Send } from "@posthaste/contracts";
import type { Collection, Db, Filter, FindOptions } from "mongodb";
import { ANY_CASE } from "./_any_case.ts";
import { bySenders } from "./_by_senders.ts";
import { collectionsOf, type StoredSend } from "./_collections.ts";
import { writeGroup } from "./_write_group.ts";
import type { SendHead } from "./send_store.ts";

/** A send that is not completely dispatched. */
export type WaitingSend = SendHead & { next: number };

/** Compares waiting sends by the order of their dispatch: small ones first, then the oldest. */
export function inTurn(one: WaitingSend, other: WaitingSend): number {
  return Number(other.priority === "transactional") - Number(one.priority === "transactional") ||
    one.acceptedAt.getTime() - other.acceptedAt.getTime();
}

/** Sends that wait in the ledger until their integration has capacity. */
export interface WaitingSends {
  /**
   * Queues a send that was accepted with `next`: it starts as soon as there is capacity, or from `notBefore`
   * on, unless it was rescheduled, started or is held meanwhile. Idempotent.
   */
  queueSend(send: Pick<Send, "_id" | "accountId" | "integrationId" | "notBefore">): Promise<void>;
  /**
   * Lets small sends wait for their integration again, each from the recipient `index` on, which a stage returned.
   * Those that a printer returned have bulk priority from then on. Large sends are left out, and settled ones. Returns the
   * ids of those that wait so. Idempotent.
   */
  requeueSends(
    sends: readonly { id: string; index: number; by: "mailer" | "pdf" }[],
  ): Promise<string[]>;
  /**
   * Starts scheduled sends whose time has come, the earliest first: from then on they wait for their
   * integration. The reconciler examines them at `reconcileAt`. Returns the number of started sends.
   */
  startSends(times: { now: Date; reconcileAt: Date }): Promise<number>;
  /**
   * Changes the start of a scheduled send. Returns whether it was changed: not if the send has been started,
   * canceled or settled, or does not exist.
   */
  rescheduleSend(accountId: string, id: string, notBefore: Date): Promise<boolean>;
  /** Lists the integrations (`_id`) that sends wait for. */
  integrationsWaitedFor(): Promise<string[]>;
  /**
   * Lists the sends that wait for an integration in their order of dispatch: small ones first. With `senders`,
   * only the sends of these addresses, in upper or lower case. Without those in `except`.
   */
  listSends(
    integration: string,
    options: {
      limit: number;
      senders?: readonly string[] | undefined;
      except?: readonly string[];
    },
  ): Promise<WaitingSend[]>;
  /**
   * Lists the oldest sends that wait for an integration and started before this time, without those of the addresses in
   * `except`, in upper or lower case.
   */
  overdueSends(
    integration: string,
    options: { before: Date; limit: number; except: readonly string[] },
  ): Promise<WaitingSend[]>;
  /**
   * Notes that the recipients of a send before `to` are dispatched. The reconciler examines it at
   * `reconcileAt`. Returns whether this holds now: not if the send was canceled, or dispatched otherwise. Two
   * concurrent calls that note the same both get `true`. Simultaneous calls share one command.
   */
  advanceSend(send: WaitingSend, to: number, times: { reconcileAt: Date }): Promise<boolean>;
}

/** Matches scheduled sends that are not started. */
const UNSTARTED = {
  ...{ next: 0, waitsFor: { $exists: false }, settledAt: null, held: { $exists: false } },
};

/** The key of a send's integration, in an update. */
const INTEGRATION = { $concat: ["$accountId", "/", { $toString: "$integrationId" }] };

const WITHOUT_CONTENT = { request: 0, emails: 0, endStates: 0 };

/** The most scheduled sends that one command starts. */
const MAX_STARTS = 1000;

function lateStart(notBefore: Date): Date {
  return new Date(notBefore.getTime() + RECONCILE_AFTER_MS);
}

/** Counts the undispatched messages of at most `limit` waiting sends. */
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

/** Returns the operations on waiting sends. */
export function waitingSends(db: Db): WaitingSends {
  const { sends } = collectionsOf(db);
  const advance = writeGroup(sends);
  return {
    async queueSend({ _id, accountId, integrationId, notBefore }) {
      if (notBefore !== undefined) {
        await sends.updateOne(
          { ...UNSTARTED, _id, accountId, notBefore },
          { $set: { waitsUntil: notBefore }, $max: { reconcileAt: lateStart(notBefore) } },
        );
        return;
      }
      await sends.updateOne(
        { _id, accountId, next: { $gte: 0 }, settledAt: null, held: { $exists: false } },
        { $set: { waitsFor: `${accountId}/${integrationId}` } },
      );
    },
    async requeueSends(given) {
      const updates = given.map(({ id: _id, index, by }) => ({
        updateOne: {
          // One that waits goes back to an earlier recipient.
          filter: {
            ...{ _id, priority: "transactional" as const, settledAt: null },
            next: { $not: { $lte: index } },
          },
          update: [{
            $set: {
              ...{ next: index, waitsFor: INTEGRATION },
              ...(by === "pdf" ? { priority: "bulk" } : {}),
            },
          }],
        },
      }));
      await sends.bulkWrite(updates, { ordered: false });
      const indexes = new Map(given.map(({ id, index }) => [id, index]));
      const found = await sends.find({ _id: { $in: [...indexes.keys()] }, waitsFor: { $gte: "" } })
        .project<Pick<WaitingSend, "_id" | "next">>({ next: 1 }).toArray();
      return found.flatMap(({ _id, next }) => next <= (indexes.get(_id) ?? -1) ? [_id] : []);
    },
    async startSends({ now, reconcileAt }) {
      // The planner needs a lower bound to see that the partial index fits.
      const due = { waitsUntil: { $gt: new Date(0), $lte: now } };
      const found = await sends.find(due).sort({ waitsUntil: 1 }).limit(MAX_STARTS)
        .project<{ _id: string }>({ _id: 1 }).toArray();
      if (found.length === 0) return 0;
      const { modifiedCount } = await sends.updateMany(
        // Sends that were rescheduled meanwhile are no longer due.
        { ...due, _id: { $in: found.map(({ _id }) => _id) } },
        [
          {
            $set: {
              waitsFor: INTEGRATION,
              reconcileAt,
            },
          },
          { $unset: "waitsUntil" },
        ],
      );
      return modifiedCount;
    },
    async rescheduleSend(accountId, _id, notBefore) {
      const { matchedCount } = await sends.updateOne(
        { ...UNSTARTED, _id, accountId, notBefore: { $exists: true } },
        { $set: { notBefore, waitsUntil: notBefore, reconcileAt: lateStart(notBefore) } },
      );
      return matchedCount > 0;
    },
    integrationsWaitedFor: () =>
      sends.distinct("waitsFor", { waitsFor: { $gte: "" } }) as Promise<string[]>,
    listSends: async (waitsFor, { limit, senders, except = [] }) => {
      const find = (filter: Filter<StoredSend>, options: FindOptions) =>
        sends.find({
          ...{ ...filter, waitsFor },
          ...(except.length === 0 ? {} : { _id: { $nin: except } }),
        }, options).sort({ priority: -1, acceptedAt: 1 }).limit(limit)
          .project<WaitingSend>(WITHOUT_CONTENT).toArray();
      if (senders === undefined) return await find({}, {});
      return await bySenders(senders, {
        ...{ limit, compare: inTurn },
        find: (some) => find({ "from.email": { $in: [...some] } }, { collation: ANY_CASE }),
      });
    },
    overdueSends: (waitsFor, { before, limit, except }) =>
      sends.find({
        ...{ waitsFor, acceptedAt: { $lte: before } },
        // Only scheduled sends have this time.
        notBefore: { $not: { $gt: before } },
        ...(except.length === 0 ? {} : { "from.email": { $nin: except } }),
      }, except.length === 0 ? {} : { collation: ANY_CASE }).sort({ acceptedAt: 1 }).limit(limit)
        .project<WaitingSend>(WITHOUT_CONTENT).toArray(),
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
