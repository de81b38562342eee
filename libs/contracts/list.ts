import { z } from "zod";

/** The most items on a page of a list. */
export const MAX_LIST_LIMIT = 100;

/** The number of items on a page if a request gives none. */
const DEFAULT_LIST_LIMIT = 25;

/** The parameters of every list. Each list adds its filters. */
export const LIST_QUERY = {
  /** The most items on the page. */
  limit: z.coerce.number<string>().int().min(1).max(MAX_LIST_LIMIT).default(DEFAULT_LIST_LIMIT)
    .describe("Maximum number of items on the page"),
  /** The `next` of the previous page. It is valid only with the same filters. */
  cursor: z.string().max(1000).optional()
    .describe("The `next` of the previous page, with the same filters"),
};

/** Makes the schema of a page of a list. */
export function listSchema<T extends z.ZodType>(item: T) {
  return z.strictObject({
    data: z.array(item),
    /** Cursor of the next page; null after the last page. */
    next: z.string().nullable(),
    /** The search ran out of time: continue with `next`. */
    incomplete: z.literal(true).optional(),
  });
}

/** A page of a list. */
export interface ListPage<T> {
  data: T[];
  next: string | null;
  incomplete?: true;
}
