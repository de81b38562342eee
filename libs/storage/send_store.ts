import { randomName } from "@posthaste/runtime";
import { messageIdOf, parseMessageId, type Send, TERMINAL_STATES } from "@posthaste/contracts";
import type { Db, Filter } from "mongodb";
import { collectionsOf, type StoredSend } from "./_collections.ts";
import { messageIdRange } from "./_message_document.ts";
import { toSend } from "./_stored_send.ts";
import { identityOf, type MessageIdentity } from "./message_identity.ts";

/** A send without its request, which may weigh megabytes; `from` is the request's. */
export type SendHead = Omit<Send, "request"> & { from: Send["request"]["from"] };

/** A send whose messages are all in a terminal state. */
export interface FinishedSend extends Pick<Send, "_id" | "accountId" | "messageCount" | "batchId"> {
  /** How many messages are in each state. */
  states: Partial<Record<(typeof TERMINAL_STATES)[number], number>>;
  /** The attempts of all its messages together. */
  attempts: number;
  /** How often the send was reopened; 0 is absent. */
  reopened?: number;
}

/** The operations on sends. */
export interface SendStore {
  /** Finds a send of an account. */
  find(accountId: string, id: string): Promise<Send | null>;
  /**
   * Loads a send for a worker, which has the id from an event and acts for no account. Also returns `null` if
   * its content was removed: a mail must not be sent with its variables missing.
   */
  load(id: string): Promise<Send | null>;
  /** Loads those of some sends that exist, one after another: each may weigh megabytes. */
  loadMany(ids: string[]): AsyncIterable<Send>;
  /** Returns who some messages are, by their ids. Those whose send is missing are left out. */
  identify(messageIds: readonly string[]): Promise<Map<string, MessageIdentity>>;
  /** Lists an account's sends, newest first; `before` is the id of the last one seen. */
  list(
    accountId: string,
    page: { limit: number; before?: string | undefined },
  ): Promise<SendHead[]>;
  /** Lists sends that are not settled and due for the reconciler, the longest due first. */
  listToReconcile(now: Date, limit: number): Promise<SendHead[]>;
  /** Returns when the next send is due for the reconciler; `undefined` if there is none. */
  nextReconciliation(): Promise<Date | undefined>;
  /** Finds some sends without their requests. Missing sends are left out. */
  heads(ids: string[]): Promise<SendHead[]>;
  /** Finds those of some sends that are not settled, and whose messages are all in a terminal state. */
  finished(ids: string[]): Promise<FinishedSend[]>;
  /**
   * Notes that all messages of these sends are in a terminal state. Leaves out sends that were reopened since
   * they were read: one of their messages is being retried. Returns how many it changed.
   */
  settle(sends: readonly Pick<FinishedSend, "_id" | "reopened">[], now: Date): Promise<number>;
  /**
   * Claims sends that are due and not settled, and sets the time of their next look. If several reconcilers
   * find the same send, only one gets it. A reconciler claims before it reads the messages. A retry that is
   * planned after that brings the time forward again, so none is missed. Returns the claimed sends as they are
   * then: one may have been canceled since it was found.
   */
  claimReconciliation(ids: string[], times: { now: Date; reconcileAt: Date }): Promise<SendHead[]>;
  /**
   * Sets the time of the next look at claimed sends that are not settled, except where it has been brought forward
   * since the claim.
   */
  planReconciliation(
    ids: string[],
    times: { claimedUntil: Date; reconcileAt: Date },
  ): Promise<void>;
}

/** Leaves out the fields of a send that a head does not have. */
const HEAD = { request: 0, emails: 0, endStates: 0 } as const;

/** Returns the operations on sends. */
export function sendStore(db: Db): SendStore {
  const { sends, messages } = collectionsOf(db);

  async function findOne(filter: Partial<Pick<StoredSend, "_id" | "accountId">> | object) {
    const found = await sends.findOne(filter);
    return found === null ? null : toSend(found);
  }

  /** Leaves out withdrawn sends: only their tombstones exist. */
  function headsOf(filter: Filter<StoredSend>): Promise<SendHead[]> {
    return sends.find({ ...filter, messageCount: { $exists: true } }).project<SendHead>(HEAD)
      .toArray();
  }

  async function* loadMany(ids: string[]): AsyncGenerator<Send> {
    const found = sends.find({ _id: { $in: ids }, request: { $exists: true } });
    for await (const stored of found) yield toSend(stored);
  }

  return {
    find: (accountId, id) => findOne({ _id: id, accountId }),
    // A withdrawn send has no request any more.
    load: (id) =>
      findOne({ _id: id, request: { $exists: true }, contentRemovedAt: { $exists: false } }),
    loadMany,
    async identify(messageIds) {
      const wanted = messageIds.flatMap((id) => parseMessageId(id) ?? []);
      if (wanted.length === 0) return new Map();
      const bySend = Map.groupBy(wanted, ({ sendId }) => sendId);
      const found: MessageIdentity[] = [];
      for await (const send of loadMany([...bySend.keys()])) {
        for (const { index } of bySend.get(send._id) ?? []) {
          const identity = identityOf(send, index);
          if (identity !== null) found.push(identity);
        }
      }
      return new Map(found.map((identity) => [identity.messageId, identity]));
    },
    list(accountId, { limit, before }) {
      const filter = before === undefined ? { accountId } : { accountId, _id: { $lt: before } };
      return sends.find(filter).sort({ _id: -1 }).limit(limit)
        .project<SendHead>(HEAD).toArray();
    },
    listToReconcile(now, limit) {
      return sends.find({ settledAt: null, reconcileAt: { $lte: now } }).sort({ reconcileAt: 1 })
        .limit(limit).project<SendHead>(HEAD).toArray();
    },
    async nextReconciliation() {
      const first = await sends.find({ settledAt: null, reconcileAt: { $gte: new Date(0) } })
        .sort({ reconcileAt: 1 }).limit(1).project<{ reconcileAt: Date }>({ reconcileAt: 1 })
        .next();
      return first?.reconcileAt;
    },
    heads: (ids) => headsOf({ _id: { $in: ids } }),
    async finished(ids) {
      const open = await sends.find({ _id: { $in: ids }, settledAt: null })
        .project<OpenSend>({ accountId: 1, messageCount: 1, batchId: 1, reopened: 1 })
        .toArray();
      if (open.length === 0) return [];
      const isSingle = ({ messageCount }: { messageCount: number }) => messageCount === 1;
      const singles = open.filter(isSingle).map(({ _id }) => messageIdOf(_id, 0));
      const ranges = open.filter((send) => !isSingle(send)).map(({ _id }) => messageIdRange(_id));
      const ended = await messages.aggregate<EndedMessages>([
        {
          $match: {
            $or: [{ _id: { $in: singles } }, ...ranges.map((_id) => ({ _id }))],
            state: { $in: TERMINAL_STATES },
          },
        },
        {
          $group: {
            _id: { sendId: "$sendId", state: "$state" },
            ...{ count: { $sum: 1 }, attempts: { $sum: "$attempt" } },
          },
        },
      ]).toArray();
      const bySend = Map.groupBy(ended, ({ _id: { sendId } }) => sendId);
      return open.flatMap((send) => finishedOf(send, bySend.get(send._id) ?? []));
    },
    async settle(finished, now) {
      const change = { $set: { settledAt: now }, $unset: { emails: "" as const } };
      const byReopened = Map.groupBy(finished, ({ reopened }) => reopened);
      const results = await Promise.all([...byReopened].map(([reopened, all]) => {
        const _id = { $in: all.map(({ _id }) => _id) };
        const unchanged = { reopened: reopened ?? { $exists: false } };
        return sends.updateMany({ _id, settledAt: null, ...unchanged }, change);
      }));
      return results.reduce((sum, { modifiedCount }) => sum + modifiedCount, 0);
    },
    async claimReconciliation(ids, { now, reconcileAt }) {
      const reconciledBy = randomName();
      const { modifiedCount } = await sends.updateMany(
        { _id: { $in: ids }, settledAt: null, reconcileAt: { $lte: now } },
        { $set: { reconcileAt, reconciledBy } },
      );
      // The command returns how many it changed, not which.
      return modifiedCount === 0 ? [] : await headsOf({ _id: { $in: ids }, reconciledBy });
    },
    async planReconciliation(ids, { claimedUntil, reconcileAt }) {
      await sends.updateMany(
        { _id: { $in: ids }, settledAt: null, reconcileAt: claimedUntil },
        { $set: { reconcileAt } },
      );
    },
  };
}

type OpenSend = Pick<
  FinishedSend,
  "_id" | "accountId" | "messageCount" | "batchId" | "reopened"
>;

/** Messages of a send that are in the same state. */
interface EndedMessages {
  _id: { sendId: string; state: (typeof TERMINAL_STATES)[number] };
  count: number;
  attempts: number;
}

function finishedOf(
  send: OpenSend,
  ended: readonly EndedMessages[],
): FinishedSend[] {
  const total = ended.reduce((sum, { count }) => sum + count, 0);
  if (total !== send.messageCount) return [];
  const states = Object.fromEntries(ended.map(({ _id: { state }, count }) => [state, count]));
  return [{ ...send, states, attempts: ended.reduce((sum, one) => sum + one.attempts, 0) }];
}
