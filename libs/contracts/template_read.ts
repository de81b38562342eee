import { z } from "zod";

/** What a template can do with a value that it reads. */
export const READ_USES = ["printed", "tested", "iterated", "date", "number"] as const;

/** What a template can do with a value that it reads. */
export type ReadUse = (typeof READ_USES)[number];

/** A value that a template reads, and what for: stored with each version when it is published. */
export const templateReadSchema = z.object({
  /** `customer.name`, or `lines[].price` inside an `each`. */
  path: z.string(),
  uses: z.array(z.enum(READ_USES)),
  /** Whether it is printed as text on every way through the template. */
  always: z.boolean(),
});

/** A value that a template reads, and what for. */
export type TemplateRead = z.infer<typeof templateReadSchema>;
