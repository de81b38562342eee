import type { Webhook, WebhookDelivery } from "@posthaste/contracts";
import type { Db, Filter } from "mongodb";
import { collectionsOf, type StoredWebhook } from "./_collections.ts";
import { hasOnlyDuplicateKeys } from "./_duplicate_key.ts";

/** A claim of endpoints by a process. */
export interface WebhookClaim {
  /** Name of the process. */
  holder: string;
  /** How long the claim lasts, by the database's clock, unless it is renewed. */
  forMs: number;
  /** The most endpoints to claim in addition to those that it holds. */
  limit: number;
}

/** Where a delivery stands among those of its endpoint: deliveries may have the same time. */
export type DeliveryPlace = Pick<WebhookDelivery, "_id" | "at">;

/** Selects deliveries to list, the newest first. */
export interface DeliveryQuery {
  state?: WebhookDelivery["state"] | undefined;
  limit: number;
  /** The last one seen. */
  before?: DeliveryPlace | undefined;
}

/** Selects deliveries to repeat. */
export interface ReplayQuery {
  /** A time, or the `next` of the call before. */
  from: Date | DeliveryPlace;
  until: Date;
  states: readonly WebhookDelivery["state"][];
  /** The types of events; all if this is left out. */
  types?: readonly string[] | undefined;
  /** The most to repeat, oldest first. */
  limit: number;
}

/** What was repeated. */
export interface Replayed {
  queued: number;
  /** The first delivery beyond the limit, the next `from`; null if there is none. */
  next: DeliveryPlace | null;
}

/** Deliveries of events to webhook endpoints. */
export interface WebhookDeliveries {
  /**
   * Claims enabled endpoints that no process holds, and renews those that this process holds. Returns the
   * endpoints that it holds then. Costs one command if there are none, two if there is none to claim.
   */
  claim(claim: WebhookClaim): Promise<Webhook[]>;
  /** Returns the endpoints that a process holds. */
  listHeld(holder: string): Promise<Webhook[]>;
  /** Releases all endpoints of a process. */
  leave(holder: string): Promise<void>;
  /**
   * Writes the health and the position of an endpoint. Returns `false` without a write if another process has
   * claimed it, or has moved its position since `webhook.position` was read or saved. Also returns `false` if
   * its settings were changed: the write is done, but the endpoint must be read again.
   */
  save(
    webhook: Pick<Webhook, "_id" | "accountId" | "updatedAt" | "position">,
    holder: string,
    changes: Partial<Pick<Webhook, "position" | "health" | "disabled">>,
  ): Promise<boolean>;
  /** Returns which of these endpoints have a due delivery. */
  listDue(ids: readonly string[], now: Date): Promise<Set<string>>;
  /** Finds due deliveries of an endpoint, the longest due first. */
  dueDeliveries(
    webhook: Pick<Webhook, "_id" | "accountId">,
    page: { now: Date; limit: number },
  ): Promise<WebhookDelivery[]>;
  /** Writes deliveries, in one command. A failure never replaces a success: it is of a process that was late. */
  saveDeliveries(deliveries: readonly WebhookDelivery[]): Promise<void>;
  /** Finds the addresses of messages of an account. */
  emailsOfMessages(accountId: string, ids: readonly string[]): Promise<Map<string, string>>;
  /** Lists deliveries of an endpoint. */
  listDeliveries(
    accountId: string,
    webhookId: string,
    query: DeliveryQuery,
  ): Promise<WebhookDelivery[]>;
  /** Finds the delivery of an event to an endpoint. */
  findDelivery(
    accountId: string,
    webhookId: string,
    eventId: string,
  ): Promise<WebhookDelivery | null>;
  /** Repeats deliveries, now. */
  replayDeliveries(
    accountId: string,
    webhookId: string,
    which: ReplayQuery | { eventId: string },
    now: Date,
  ): Promise<Replayed>;
}

/** A repeated delivery is kept as long as a failed one. */
const REPLAYED_KEPT_MS = 30 * 24 * 3_600_000;

/** Returns the operations on deliveries. */
export function webhookDeliveries(db: Db): WebhookDeliveries {
  const { webhooks, webhookDeliveries: deliveries, messages } = collectionsOf(db);

  const listHeld = (holder: string): Promise<Webhook[]> =>
    webhooks.find({
      ...{ disabled: null, "lease.holder": holder },
      $expr: { $gte: ["$lease.until", "$$NOW"] },
    }, { projection: { lease: 0 } }).toArray();

  async function placeBeyond(
    filter: Filter<WebhookDelivery>,
    limit: number,
  ): Promise<DeliveryPlace | null> {
    const [found] = await deliveries.find(filter, { projection: { at: 1 } })
      .sort({ at: 1, _id: 1 }).skip(limit).limit(1).toArray();
    return found ?? null;
  }

  return {
    async claim({ holder, forMs, limit }) {
      const isFree = {
        disabled: null,
        $or: [
          { lease: { $exists: false } },
          { "lease.holder": { $ne: holder }, $expr: { $lt: ["$lease.until", "$$NOW"] } },
        ],
      };
      const isMine = { disabled: null, "lease.holder": holder };
      const free = [{ $match: isFree }, { $limit: limit }, { $project: { _id: 1 } }];
      const found = await webhooks.aggregate<StoredWebhook | { _id: string }>([
        { $match: isMine },
        { $unionWith: { coll: webhooks.collectionName, pipeline: free } },
      ]).toArray();
      if (found.length === 0) return [];
      const mine: Webhook[] = [];
      const ids: string[] = [];
      for (const one of found) {
        if (!("lease" in one)) {
          ids.push(one._id);
          continue;
        }
        const { lease: _, ...webhook } = one;
        mine.push(webhook);
      }
      const { matchedCount } = await webhooks.updateMany(
        { $or: [isMine, { _id: { $in: ids }, ...isFree }] },
        [{ $set: { lease: { holder, until: { $add: ["$$NOW", forMs] } } } }],
      );
      // Others may have claimed some in the meantime.
      const isCertain = ids.length === 0 && matchedCount === mine.length;
      return isCertain ? mine : await listHeld(holder);
    },
    listHeld,
    async leave(holder) {
      await webhooks.updateMany({ "lease.holder": holder }, { $unset: { lease: "" } });
    },
    async save({ _id, accountId, updatedAt, position }, holder, changes) {
      // A process that lost its claim and claimed again may still save what it read before.
      const mine = { _id, accountId, disabled: null, "lease.holder": holder, position };
      const saved = await webhooks.findOneAndUpdate(mine, { $set: changes }, {
        projection: { updatedAt: 1 },
      });
      return saved?.updatedAt.getTime() === updatedAt.getTime();
    },
    async listDue(ids, now) {
      if (ids.length === 0) return new Set();
      const due = { webhookId: { $in: [...ids] }, nextAt: { $lte: now, $gt: new Date(0) } };
      return new Set(await deliveries.distinct("webhookId", due));
    },
    dueDeliveries: ({ _id: webhookId, accountId }, { now, limit }) =>
      deliveries.find({ webhookId, accountId, nextAt: { $lte: now, $gt: new Date(0) } })
        .sort({ nextAt: 1 }).limit(limit).toArray(),
    async saveDeliveries(all) {
      if (all.length === 0) return;
      const writes = all.map((delivery) => {
        const { _id, state } = delivery;
        const filter: Filter<WebhookDelivery> = state === "delivered"
          ? { _id }
          : { _id, state: { $ne: "delivered" } };
        return { replaceOne: { filter, replacement: delivery, upsert: true } };
      });
      try {
        await deliveries.bulkWrite(writes, { ordered: false });
      } catch (error) {
        // These were delivered.
        if (!hasOnlyDuplicateKeys(error)) throw error;
      }
    },
    async emailsOfMessages(accountId, ids) {
      const found = messages.find({ _id: { $in: [...ids] }, accountId }, {
        projection: { email: 1 },
      });
      return new Map((await found.toArray()).map(({ _id, email }) => [_id, email]));
    },
    listDeliveries(accountId, webhookId, { state, limit, before }) {
      const filter: Filter<WebhookDelivery> = {
        ...{ accountId, webhookId },
        ...(before === undefined ? {} : isBefore(before)),
        ...(state === undefined ? {} : { state }),
      };
      return deliveries.find(filter).sort({ at: -1, _id: -1 }).limit(limit).toArray();
    },
    findDelivery: (accountId, webhookId, eventId) =>
      deliveries.findOne({ _id: `${webhookId}/${eventId}`, accountId }),
    async replayDeliveries(accountId, webhookId, which, now) {
      const filter: Filter<WebhookDelivery> = "eventId" in which
        ? { _id: `${webhookId}/${which.eventId}`, accountId }
        : replayFilter(accountId, webhookId, which);
      const expiresAt = new Date(now.getTime() + REPLAYED_KEPT_MS);
      const next = "eventId" in which ? null : await placeBeyond(filter, which.limit);
      const page = { ...filter, ...(next === null ? {} : isBefore(next)) };
      const again = { state: "retrying", tries: 0, nextAt: now, expiresAt } as const;
      const { matchedCount } = await deliveries.updateMany(page, { $set: again });
      return { queued: matchedCount, next };
    },
  };
}

function replayFilter(
  accountId: string,
  webhookId: string,
  { from, until, states, types }: ReplayQuery,
): Filter<WebhookDelivery> {
  const isTime = from instanceof Date;
  return {
    ...{ accountId, webhookId, at: { $gte: isTime ? from : from.at, $lt: until } },
    state: { $in: [...states] },
    ...(types === undefined ? {} : { type: { $in: [...types] } }),
    ...(isTime ? {} : { $nor: [isBefore(from)] }),
  };
}

function isBefore({ at, _id }: DeliveryPlace): Filter<WebhookDelivery> {
  return { $or: [{ at: { $lt: at } }, { at, _id: { $lt: _id } }] };
}
