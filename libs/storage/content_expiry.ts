import type { GivenEnvelope, SendRequest } from "@posthaste/contracts";
import type { AnyBulkWriteOperation, Collection, Db, Filter } from "mongodb";
import { acceptedWithin } from "./_accepted_within.ts";
import { collectionsOf, type StoredSend } from "./_collections.ts";

/** The sends whose contents are to be removed. */
export interface ContentRemoval {
  accountId: string;
  /** Those accepted before this. */
  before: Date;
  /** The most sends to examine. */
  limit: number;
  now: Date;
}

/** Removal of the variables of mails. */
export interface ContentExpiry {
  /**
   * Removes the variables and subjects from settled sends of an account that were accepted before a time.
   * Addresses, names and names of files stay. Sends that are not settled are remembered, and a later call handles them.
   * Continues where the previous call ended. Returns how many sends it stripped and whether there may be
   * more.
   */
  removeContents(removal: ContentRemoval): Promise<{ removed: number; hasMore: boolean }>;
}

/** Writes of stripped requests that wait for a group. */
const WRITE_BATCH_SIZE = 200;

/** Requests may weigh megabytes. */
const READ_BATCH_SIZE = 20;

type Line = Pick<StoredSend, "_id" | "request">;

/** Returns the removal of contents. */
export function contentExpiry(db: Db): ContentExpiry {
  const { sends, contentProgress } = collectionsOf(db);
  return {
    async removeContents({ accountId, before, limit, now }) {
      // The contents of a scheduled send are kept from its start on.
      const isOld = { settledAt: { $ne: null }, notBefore: { $not: { $gte: before } } };
      const waiting = { accountId, contentDue: true as const, ...isOld };
      const late = await strip(sends, waiting, { accountId, limit, now });
      const upTo = (await contentProgress.findOne({ _id: accountId }))?.upTo ?? "";
      // Ids sort by time, so the walk needs no index of its own, and mail pays nothing for it.
      const part = { accountId, until: before, after: upTo };
      const ids = await sends.find(acceptedWithin("snd", part)).sort({ _id: 1 }).limit(limit)
        .project<{ _id: string }>({ _id: 1 }).map(({ _id }) => _id).toArray();
      const last = ids.at(-1);
      if (last === undefined) return { removed: late, hasMore: late === limit };
      const walked = (conditions: Filter<StoredSend>) =>
        acceptedWithin("snd", { ...part, before: `${last}~` }, {
          ...conditions,
          contentRemovedAt: { $exists: false },
        });
      const removed = await strip(sends, walked(isOld), { accountId, limit, now });
      for (const later of [{ settledAt: null }, { notBefore: { $gte: before } }]) {
        await sends.updateMany(walked(later), { $set: { contentDue: true } });
      }
      await contentProgress.updateOne({ _id: accountId }, { $max: { upTo: last } }, {
        upsert: true,
      });
      return { removed: late + removed, hasMore: ids.length === limit || late === limit };
    },
  };
}

async function strip(
  sends: Collection<StoredSend>,
  filter: Filter<StoredSend>,
  { accountId, limit, now }: Pick<ContentRemoval, "accountId" | "limit" | "now">,
): Promise<number> {
  let operations: AnyBulkWriteOperation<StoredSend>[] = [];
  let removed = 0;
  const flush = async () => {
    const taken = operations;
    operations = [];
    removed += (await sends.bulkWrite(taken, { ordered: false })).modifiedCount;
  };
  const found = sends.find(filter).limit(limit).batchSize(READ_BATCH_SIZE)
    .project<Line>({ request: 1 });
  for await (const { _id, request } of found) {
    operations.push({
      updateOne: {
        // A process that retries one of its messages first marks it as not settled.
        filter: { _id, accountId, settledAt: { $ne: null }, contentRemovedAt: { $exists: false } },
        update: {
          $set: { request: withoutContent(request), contentRemovedAt: now },
          // Without it, nobody can read the subjects in its messages.
          $unset: { contentDue: "", subjectKey: "" },
        },
      },
    });
    if (operations.length === WRITE_BATCH_SIZE) await flush();
  }
  if (operations.length > 0) await flush();
  return removed;
}

/** Returns a request with its recipients and attachments, but without its variables. */
function withoutContent(request: string): string {
  const { variables: _common, to, ...rest }: SendRequest = JSON.parse(request);
  const recipients = to.map(({ variables: _v, attachments, ...recipient }) => ({
    ...withoutWords(recipient),
    ...(attachments === undefined
      ? {}
      : { attachments: attachments.map(({ variables: _w, ...attachment }) => attachment) }),
  }));
  return JSON.stringify({ ...withoutWords(rest), to: recipients });
}

/** Removes unsubscribe links and headers, which reveal as much about a person as variables do. */
function withoutWords<T extends GivenEnvelope>(given: T) {
  const { headers: _headers, listUnsubscribe: _list, ...rest } = given;
  return rest;
}
