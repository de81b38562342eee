import { FEED_EVENT_TYPES, WEBHOOK_DELIVERY_STATES, WEBHOOK_FIELDS } from "@posthaste/contracts";
import type { DeliveryPlace } from "@posthaste/storage";
import { z } from "zod";

const PLACE_PATTERN = /^\d{1,15}~[\w/]+$/;

/** Id of an endpoint, as in an address. */
export const webhookIdSchema = z.object({ id: z.string().max(100) });

/** Body of `PATCH /api/webhooks/:id`. A default would change missing fields. */
export const webhookChangeSchema = z.strictObject({
  url: WEBHOOK_FIELDS.url.optional(),
  description: WEBHOOK_FIELDS.description.unwrap().optional(),
  types: WEBHOOK_FIELDS.types.unwrap().optional(),
  filter: WEBHOOK_FIELDS.filter.unwrap().optional(),
  withAddress: WEBHOOK_FIELDS.withAddress.unwrap().optional(),
  maxPerSecond: WEBHOOK_FIELDS.maxPerSecond.unwrap().optional(),
});

/** Body of `POST /api/webhooks/:id/rotate-secret`. */
export const rotationSchema = z.strictObject({
  overlapHours: z.int().min(0).max(168).default(24)
    .describe("Hours for which Posthaste also signs with the old secret"),
});

/** Body of `POST /api/webhooks/:id/enable`. */
export const enablingSchema = z.strictObject({
  skip: z.boolean().default(false).describe("Continues with new events, and skips earlier ones"),
});

/** Ids of an endpoint and an event, as in an address. */
export const deliveryIdSchema = webhookIdSchema.extend({ eventId: z.string().max(100) });

/** Query of `GET /api/webhooks/:id/deliveries`. */
export const deliveryQuerySchema = z.strictObject({
  state: z.enum(WEBHOOK_DELIVERY_STATES).optional(),
  before: z.string().max(200).regex(PLACE_PATTERN).optional()
    .describe("The `next` of the previous page"),
});

const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

/** Body of `POST /api/webhooks/:id/replay`. */
export const replaySchema = z.strictObject({
  /** A time, or the `next` of the previous answer: a time and an id, because deliveries share times. */
  from: z.union([
    time,
    z.string().max(200).regex(PLACE_PATTERN).transform(placeIn),
  ]).describe("A time, or the `next` of the previous answer"),
  until: time,
  states: z.array(z.enum(WEBHOOK_DELIVERY_STATES)).min(1).default(["failed"]),
  types: z.array(z.enum(FEED_EVENT_TYPES)).min(1).optional(),
});

/** Returns the place among the deliveries that the `next` of a page names. */
export function placeIn(text: string): DeliveryPlace {
  const [time = "", _id = ""] = text.split("~");
  return { at: new Date(Number(time)), _id };
}
