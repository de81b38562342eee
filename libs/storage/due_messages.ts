import { type Message, normalizeAddress } from "@posthaste/contracts";
import type { Db, Filter } from "mongodb";
import { bySenders } from "./_by_senders.ts";
import { collectionsOf } from "./_collections.ts";

/** A message whose next attempt is due. */
export type DueMessage =
  & Pick<Message, "_id" | "sendId" | "accountId" | "index" | "attempt" | "waitsFor">
  & Pick<Message, "unreached" | "unknownAttempts">
  & { nextAt: Date };

/** Options of {@linkcode DueMessages.dueMessages}. */
export interface DueMessagesOptions {
  now: Date;
  limit: number;
  senders?: readonly string[] | null | undefined;
  recipients?: number | undefined;
}

/** Look-ups of messages whose next attempt is due. */
export interface DueMessages {
  /** Lists the integrations (`_id`) that have due messages. */
  integrationsDue(now: Date): Promise<string[]>;
  /**
   * Lists the due messages of an integration, the longest due first. With `senders`, only those from these addresses, in
   * upper or lower case, without an unknown outcome: another integration may make their next attempt. `null`: those
   * whose documents have no sender. With `recipients`, only those to the first so many recipients of their sends.
   */
  dueMessages(integration: string, options: DueMessagesOptions): Promise<DueMessage[]>;
  /**
   * Lists the due messages of an integration that have waited since before this time, the oldest first: since their
   * acceptance, or since they were last sent again. Without those that other integrations may send as the addresses in
   * `except`.
   */
  overdueMessages(
    integration: string,
    options: { now: Date; before: Date; limit: number; except: readonly string[] },
  ): Promise<DueMessage[]>;
}

const DUE = {
  ...{ sendId: 1, accountId: 1, index: 1, attempt: 1, nextAt: 1, waitsFor: 1 },
  ...{ unreached: 1, unknownAttempts: 1 },
};

/** Matches documents without the field. */
const MISSING = null as never;

/** Returns the spellings of addresses that documents have. Earlier versions kept the case of the local part. */
function spellingsOf(addresses: readonly string[]): string[] {
  return [...new Set(addresses.flatMap((one) => [one.toLowerCase(), normalizeAddress(one)]))];
}

/** Returns the search for due messages. */
export function dueMessages(db: Db): DueMessages {
  const { messages } = collectionsOf(db);
  const dueBy = (now: Date) => ({ nextAt: { $gt: new Date(0), $lte: now } });
  return {
    async integrationsDue(now) {
      // With a bound for each field of the index, one key of each integration is read.
      const isPlanned = { integration: { $gte: "" }, nextAt: { $gt: new Date(0) } };
      // The first message of each: the index alone answers.
      const first = await messages.aggregate<{ _id: string; nextAt: Date }>([
        { $match: isPlanned },
        { $sort: { integration: 1, nextAt: 1 } },
        { $group: { _id: "$integration", nextAt: { $first: "$nextAt" } } },
      ]).toArray();
      return first.filter(({ nextAt }) => nextAt <= now).map(({ _id }) => _id);
    },
    dueMessages: async (integration, { now, limit, senders, recipients }) => {
      // Each position by itself: MongoDB then merges what the index has of each, in order.
      const first = recipients !== undefined && { index: { $in: [...Array(recipients).keys()] } };
      const find = (filter: Filter<Message>) =>
        messages.find({ ...filter, ...first, integration, ...dueBy(now) }).sort({ nextAt: 1 })
          .limit(limit)
          .project<DueMessage>(DUE).toArray();
      if (senders === undefined) return await find({});
      const isKnown = { "unknownAttempts.0": { $exists: false } };
      if (senders === null) return await find({ ...isKnown, from: MISSING });
      return await bySenders(senders, {
        limit,
        compare: (one, other) => one.nextAt.getTime() - other.nextAt.getTime(),
        find: (some) => find({ ...isKnown, from: { $in: spellingsOf(some) } }),
      });
    },
    overdueMessages: (integration, { now, before, limit, except }) =>
      messages.find({
        ...{ integration, ...dueBy(now), acceptedAt: { $lte: before } },
        retriedAt: { $not: { $gt: before } },
        ...(except.length === 0 ? {} : {
          $or: [{ from: { $nin: spellingsOf(except) } }, {
            "unknownAttempts.0": { $exists: true },
          }],
        }),
      }).sort({ acceptedAt: 1 }).limit(limit)
        .project<DueMessage>(DUE).toArray(),
  };
}
