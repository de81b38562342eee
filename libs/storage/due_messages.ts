import { type Message, normalizeAddress } from "@posthaste/contracts";
import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";

/** A message whose next attempt is due. */
export type DueMessage =
  & Pick<Message, "_id" | "sendId" | "accountId" | "index" | "attempt" | "acceptedAt" | "waitsFor">
  & Pick<Message, "retriedAt" | "unreached" | "unknownAttempts">
  & { nextAt: Date };

/** Look-ups of messages that are due. Messages that wait for capacity have been due since then. */
export interface DueMessages {
  /** Lists the integrations (`_id`) that have due messages. */
  integrationsDue(now: Date): Promise<string[]>;
  /**
   * Lists the due messages of an integration, the longest due first. With `senders`, only those whose next attempt
   * another integration may make that sends as these addresses: they have no attempt with an unknown outcome. Those of
   * which nobody noted the sender are among them.
   */
  dueMessages(
    integration: string,
    options: { now: Date; limit: number; senders?: readonly string[] | undefined },
  ): Promise<DueMessage[]>;
}

const DUE = {
  ...{ sendId: 1, accountId: 1, index: 1, attempt: 1, acceptedAt: 1, nextAt: 1, waitsFor: 1 },
  ...{ retriedAt: 1, unreached: 1, unknownAttempts: 1 },
};

/** Matches documents without the field. */
const MISSING = null as never;

/** Returns the search for due messages. */
export function dueMessages(db: Db): DueMessages {
  const { messages } = collectionsOf(db);
  return {
    async integrationsDue(now) {
      const isPlanned = { nextAt: { $gt: new Date(0) } };
      // The first message of each: the index alone answers.
      const first = await messages.aggregate<{ _id: string; nextAt: Date }>([
        { $match: isPlanned },
        { $sort: { integration: 1, nextAt: 1 } },
        { $group: { _id: "$integration", nextAt: { $first: "$nextAt" } } },
      ]).toArray();
      return first.filter(({ nextAt }) => nextAt <= now).map(({ _id }) => _id);
    },
    dueMessages: (integration, { now, limit, senders }) =>
      messages.find({
        ...{ integration, nextAt: { $gt: new Date(0), $lte: now } },
        ...(senders === undefined ? {} : {
          from: { $in: [...senders.map(normalizeAddress), MISSING] },
          "unknownAttempts.0": { $exists: false },
        }),
      }).sort({ nextAt: 1 }).limit(limit)
        .project<DueMessage>(DUE).toArray(),
  };
}
