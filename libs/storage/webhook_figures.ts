import type { Webhook } from "@posthaste/contracts";
import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";

/** The number of endpoints, of all accounts. */
export interface EndpointCounts {
  /** Enabled endpoints that get requests. */
  up: number;
  /** Enabled endpoints with that many failures in a row. */
  down: number;
  /** Endpoints that the service gave up. Those that a person has disabled are not counted. */
  disabled: number;
}

/** Figures of the webhook endpoints for an operator. */
export interface WebhookFigures {
  /** Counts the endpoints. `downAfter` failures in a row mean that one is down. */
  countEndpoints(downAfter: number): Promise<EndpointCounts>;
  /**
   * Returns since when the oldest event waits for some endpoints: the next event of a feed that an endpoint has
   * not read, or a retry that is due. Null if none waits.
   */
  waitingSince(
    endpoints: readonly Pick<Webhook, "_id" | "accountId" | "position">[],
    now: Date,
  ): Promise<Date | null>;
}

const MAX_MS = 5000;

/** Returns the figures of the webhook endpoints. */
export function webhookFigures(db: Db): WebhookFigures {
  const { webhooks, webhookDeliveries, events } = collectionsOf(db);
  const bounds = { maxTimeMS: MAX_MS };
  return {
    async countEndpoints(downAfter) {
      const enabled = { $cond: [{ $gte: ["$health.failures", downAfter] }, "down", "up"] };
      const found = await webhooks.aggregate<{ _id: keyof EndpointCounts; count: number }>([
        { $match: { "disabled.by": { $ne: "person" } } },
        {
          $group: {
            _id: { $cond: [{ $eq: ["$disabled", null] }, enabled, "disabled"] },
            count: { $sum: 1 },
          },
        },
      ], bounds).toArray();
      const counts = Object.fromEntries(found.map(({ _id, count }) => [_id, count]));
      return { up: 0, down: 0, disabled: 0, ...counts };
    },
    async waitingSince(endpoints, now) {
      if (endpoints.length === 0) return null;
      // Sequences have no gaps, so one look-up finds the next event.
      const $or = endpoints.map(({ accountId, position }) => ({
        accountId,
        sequence: position + 1,
      }));
      const due = {
        webhookId: { $in: endpoints.map(({ _id }) => _id) },
        nextAt: { $lte: now, $gt: new Date(0) },
      };
      const [event, delivery] = await Promise.all([
        events.find({ $or }, { projection: { recordedAt: 1 }, ...bounds })
          .sort({ recordedAt: 1 }).limit(1).next(),
        webhookDeliveries.find(due, { projection: { nextAt: 1 }, ...bounds })
          .sort({ nextAt: 1 }).limit(1).next(),
      ]);
      const times = [event?.recordedAt, delivery?.nextAt].flatMap((time) => time ?? []);
      return times.toSorted((one, other) => one.getTime() - other.getTime())[0] ?? null;
    },
  };
}
