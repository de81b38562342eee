import { timeOfId } from "@posthaste/contracts";
import type { Db, Document } from "mongodb";
import { acceptedWithin } from "./_accepted_within.ts";
import { collectionsOf } from "./_collections.ts";
import { messageIdRange } from "./_message_document.ts";
import { STATISTICS_HINTS_KEPT_MS, STATISTICS_YOUNG_MS } from "./statistics_store.ts";
import {
  COUNTED_ATTEMPTS,
  idOfBucket,
  STATISTICS_BUCKET_MS,
  type StatisticsBucket,
} from "./statistics_bucket.ts";

/** Recounts of what status events have only indicated. */
export interface StatisticsRecount {
  /**
   * Recounts the buckets that have ended and had notes since their last count, from sends and messages.
   * Idempotent. Returns how many bucket times were counted: at most `limit`, the oldest first.
   */
  recount(options: { now: Date; limit: number }): Promise<number>;
}

/** An outcome is written before it is reported, and reported within seconds. */
const GRACE_MS = 30_000;

const SENDS_PER_QUERY = 200;
const MAX_MS = 60_000;

type Due = Pick<StatisticsBucket, "_id" | "accountId" | "at"> & { notes: number };
type Outcome = (typeof COUNTED_ATTEMPTS)[number];
type Counts = Pick<StatisticsBucket, Outcome | "accepted"> & {
  suppressed: number;
  integrations: NonNullable<StatisticsBucket["integrations"]>;
};
type Group = {
  _id: { accountId: string; integration: string; type: Outcome | "suppressed" };
  count: number;
  attempts: number;
};

/** Returns the recount of statistics. */
export function statisticsRecount(db: Db): StatisticsRecount {
  const { messages, sends, statistics, statisticsHints } = collectionsOf(db);

  async function countBucket(at: Date): Promise<Map<string, Counts>> {
    const end = new Date(at.getTime() + STATISTICS_BUCKET_MS);
    const young = new Date(at.getTime() - STATISTICS_YOUNG_MS);
    const counts = new Map<string, Counts>();
    const of = (accountId: string) => {
      const known = counts.get(accountId) ?? emptyCounts();
      counts.set(accountId, known);
      return known;
    };
    const accepted = sends.aggregate<{ _id: string; count: number }>([
      {
        $match: acceptedWithin("snd", { from: at, until: end }, {
          withdrawnAt: { $exists: false },
        } as object),
      },
      { $group: { _id: "$accountId", count: { $sum: "$messageCount" } } },
    ], { maxTimeMS: MAX_MS });
    for await (const { _id, count } of accepted) of(_id).accepted = count;
    const add = async ($match: Document) => {
      const groups = messages.aggregate<Group>([{ $match }, ...outcomesWithin(at, end)], {
        maxTimeMS: MAX_MS,
      });
      for await (const group of groups) addTo(of(group._id.accountId), group);
    };
    // Most outcomes are known soon. Later ones were noted by their send.
    await add(acceptedWithin("msg", { from: young, until: end }));
    const late = (await lateSends(at)).filter((id) => timeOfId(id) < young);
    for (let first = 0; first < late.length; first += SENDS_PER_QUERY) {
      const part = late.slice(first, first + SENDS_PER_QUERY);
      await add({ $or: part.map((id) => ({ _id: messageIdRange(id) })) });
    }
    return counts;
  }

  async function lateSends(at: Date): Promise<string[]> {
    const hints = await statisticsHints.find({ at }).toArray();
    return [...new Set(hints.flatMap((hint) => hint.sends))];
  }

  async function write(at: Date, due: readonly Due[], counts: Map<string, Counts>, now: Date) {
    const byAccount = new Map(due.map((bucket) => [bucket.accountId, bucket]));
    const accounts = new Set([...byAccount.keys(), ...counts.keys()]);
    const operations = [...accounts].map((accountId) => {
      const _id = idOfBucket(accountId, at);
      const $set = { ...(counts.get(accountId) ?? emptyCounts()), countedAt: now };
      const known = byAccount.get(accountId);
      // A note that came meanwhile may not be counted yet: the bucket then stays due.
      if (known !== undefined) {
        const { notes } = known;
        return {
          updateOne: {
            filter: { _id, notes },
            update: { $set, $unset: { isRecountDue: "" as const } },
          },
        };
      }
      const update = { $set, $setOnInsert: { accountId, at, notes: 0 } };
      return { updateOne: { filter: { _id }, update, upsert: true } };
    });
    if (operations.length > 0) await statistics.bulkWrite(operations, { ordered: false });
  }

  return {
    async recount({ now, limit }) {
      const ended = new Date(now.getTime() - STATISTICS_BUCKET_MS - GRACE_MS);
      const isDue = { isRecountDue: true as const, at: { $lte: ended } };
      const kept = new Date(now.getTime() - STATISTICS_HINTS_KEPT_MS);
      // The messages of these are no longer known: they stay as they were noted.
      await statistics.updateMany({ ...isDue, at: { $lt: kept } }, {
        $unset: { isRecountDue: "" },
      });
      for (let counted = 0; counted < limit; counted++) {
        const first = await statistics.find(isDue).sort({ at: 1 }).limit(1).next();
        if (first === null) return counted;
        const { at } = first;
        const due = await statistics.find({ isRecountDue: true, at })
          .project<Due>({ accountId: 1, at: 1, notes: 1 }).toArray();
        await write(at, due, await countBucket(at), now);
      }
      return limit;
    },
  };
}

/** A line names the integration of its attempt if that is not the message's own. */
const INTEGRATION = {
  $cond: [
    { $gt: ["$timeline.integrationId", 0] },
    { $concat: ["$accountId", "/", { $toString: "$timeline.integrationId" }] },
    "$integration",
  ],
};

/** Counts lines of timelines: each is an outcome of its own, also of a message that has changed since. */
function outcomesWithin(at: Date, end: Date): Document[] {
  const isOutcome = {
    "timeline.at": { $gte: at, $lt: end },
    "timeline.type": { $in: [...COUNTED_ATTEMPTS, "suppressed"] },
    // A message that waits has a line, too, and was not attempted.
    $or: [
      { "timeline.type": { $ne: "deferred" } },
      { "timeline.durationMs": { $exists: true } },
      { "timeline.ambiguous": true },
    ],
  };
  return [
    { $match: { "timeline.at": { $gte: at, $lt: end } } },
    { $project: { accountId: 1, integration: 1, timeline: 1 } },
    { $unwind: "$timeline" },
    { $match: isOutcome },
    {
      $group: {
        _id: { accountId: "$accountId", integration: INTEGRATION, type: "$timeline.type" },
        count: { $sum: 1 },
        // A message that failed before it reached the mailer is no attempt of the integration.
        attempts: { $sum: { $cond: [{ $gt: ["$timeline.attempt", 0] }, 1, 0] } },
      },
    },
  ];
}

function addTo(counts: Counts, { _id: { accountId, integration, type }, count, attempts }: Group) {
  counts[type] += count;
  if (attempts === 0 || type === "suppressed") return;
  const id = integration.slice(accountId.length + 1);
  const ofIntegration = counts.integrations[id] ??= {};
  ofIntegration[type] = (ofIntegration[type] ?? 0) + attempts;
}

function emptyCounts(): Counts {
  return {
    accepted: 0,
    sent: 0,
    failed: 0,
    deferred: 0,
    unknown: 0,
    suppressed: 0,
    integrations: {},
  };
}
