import { z } from "zod";

/** The most items that a page of a list has. */
export const MAX_LIST_LIMIT = 100;

/** The items of a page where a request says no number. */
export const DEFAULT_LIST_LIMIT = 25;

/** What every list takes, as parameters of the path: beside them stand its filters. */
export const LIST_QUERY = {
  /** Items of the page, at most. */
  limit: z.coerce.number<string>().int().min(1).max(MAX_LIST_LIMIT).default(DEFAULT_LIST_LIMIT)
    .describe("Items of the page, at most"),
  /** The `next` of the page before. It belongs to the filters that it came with. */
  cursor: z.string().max(1000).optional()
    .describe("The `next` of the page before; it belongs to its filters"),
};

/** Makes the schema of a page of a list. */
export function listSchema<T extends z.ZodType>(item: T) {
  return z.strictObject({
    data: z.array(item),
    /** Cursor of what follows; null after the last page. */
    next: z.string().nullable(),
    /** The search ran out of time: go on with `next`. */
    incomplete: z.literal(true).optional(),
  });
}

/** A page of a list. */
export interface ListPage<T> {
  data: T[];
  next: string | null;
  incomplete?: true;
}
