import { z } from "zod";

/** A text in an event or, if the event would exceed its limit, the key of an object in the store. */
export const contentSchema = z.union([
  z.strictObject({ inline: z.string() }),
  z.strictObject({ key: z.string() }),
]);

/** A text, or its key in the store. */
export type Content = z.infer<typeof contentSchema>;

/** The largest body of an event, in bytes. Larger content goes to the object store. */
export const MAX_EVENT_BYTES = 512 * 1024;
