import { z } from "zod";

/** Name under which the values of an account's brand are stored: JSON of names and texts. */
export const BRAND = "@brand";

/** The most partials of an account. */
export const MAX_PARTIALS = 200;

/** The longest source of a partial. */
export const MAX_PARTIAL_CHARACTERS = 100_000;

const MAX_VALUES = 100;

// As NOT_IN_BRAND of the templates: it would end the text or the attribute around it.
const valueSchema = z.string().max(1_000).regex(/^[^"<>{}\\\r\n]*$/, {
  error: 'must not have ", <, >, {, }, \\ or line ends',
});

/** Schema of the values of a brand. */
export const brandValuesSchema = z.record(z.string().max(64).regex(/^[\w-]+$/), valueSchema)
  .refine((values) => Object.keys(values).length <= MAX_VALUES, {
    error: `must not have more than ${MAX_VALUES} values`,
  });

/** Schema of a partial's name, as templates call it. */
export const partialNameSchema = z.string().max(64).regex(/^[a-z][a-z\d_-]*$/, {
  error: "must be lowercase letters, digits, _ and -",
});

/** Schema of a partial, or of the brand: its draft and what is published. */
export const partialSchema = z.object({
  /** `<account>/<name>` */
  _id: z.string(),
  accountId: z.string(),
  name: z.union([partialNameSchema, z.literal(BRAND)]),
  draft: z.object({
    source: z.string(),
    /** Grows with every change. A save names the revision that it has changed. */
    revision: z.int().positive(),
    updatedAt: z.date(),
    /** `_id` of the user; null for a program. */
    updatedBy: z.string().nullable(),
  }),
  /** Null before it is first published. */
  published: z.object({
    source: z.string(),
    version: z.int().positive(),
    /** Of the draft that was published. */
    revision: z.int().positive(),
    /** What it includes itself, by name. */
    calls: z.array(z.string()),
  }).nullable(),
});

/** A partial, or the brand. */
export type StoredPartial = z.infer<typeof partialSchema>;

/** Schema of a partial, or the brand, as a version of a template has it. */
export const pinnedSchema = z.object({
  name: z.string(),
  version: z.int().positive(),
  source: z.string(),
});

/** A partial, or the brand, as a version of a template has it. */
export type Pinned = z.infer<typeof pinnedSchema>;
