import { z } from "zod";

/** A text in an event or, if the event would exceed its limit, the key of an object in the store. */
export const contentSchema = z.union([
  z.strictObject({ inline: z.string() }),
  z.strictObject({ key: z.string() }),
]);

/** A text, or its key in the store. */
export type Content = z.infer<typeof contentSchema>;

/** A place in the tail of an event: the bytes behind its JSON. */
export const tailPlaceSchema = z.strictObject({
  /** In bytes, from the start of the tail. */
  offset: z.int().nonnegative(),
  /** In bytes. */
  size: z.int().nonnegative(),
});

/** A place in the tail of an event. */
export type TailPlace = z.infer<typeof tailPlaceSchema>;

/**
 * A text of a mail: the place of its UTF-8 in the tail of its event, or its key in the store. In events before version 4
 * it can be inline.
 */
export const mailTextSchema = z.union([tailPlaceSchema, ...contentSchema.options]);

/** The largest body of an event, in bytes. Larger content goes to the object store. */
export const MAX_EVENT_BYTES = 512 * 1024;
