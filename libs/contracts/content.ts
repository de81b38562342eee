import { z } from "zod";

/**
 * A text that travels in an event, or, where the event would grow beyond its limit, the key of an
 * object in the store.
 */
export const contentSchema = z.union([
  z.strictObject({ inline: z.string() }),
  z.strictObject({ key: z.string() }),
]);

/** A text, or where it lies. */
export type Content = z.infer<typeof contentSchema>;

/** The most that an event's body may weigh, in bytes; larger content goes to the object store. */
export const MAX_EVENT_BYTES = 512 * 1024;
