import { z } from "zod";

/** A text in an event or, if the event would exceed its limit, the key of an object in the store. */
export const contentSchema = z.union([
  z.strictObject({ inline: z.string() }),
  z.strictObject({ key: z.string() }),
]);

/** A text, or its key in the store. */
export type Content = z.infer<typeof contentSchema>;

/** Where something lies in the bytes behind an event's JSON. */
export const tailPlaceSchema = z.strictObject({
  /** In bytes, from the start of the tail. */
  offset: z.int().nonnegative(),
  /** In bytes. */
  size: z.int().nonnegative(),
});

/** A text of a mail: in UTF-8 in its event's tail, or its key in the store. Older programs write it into the JSON. */
export const carriedSchema = z.union([tailPlaceSchema, ...contentSchema.options]);

/** The largest body of an event, in bytes. Larger content goes to the object store. */
export const MAX_EVENT_BYTES = 512 * 1024;
