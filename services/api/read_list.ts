import { hash } from "node:crypto";
import { LIST_QUERY, type ListPage } from "@posthaste/contracts";
import { BODY_PARSING, bodyIssues } from "@posthaste/http";
import { HttpError } from "./http_error.ts";
import { z } from "zod";
import { httpErrorOf } from "./fault.ts";

/** A list as a client requests it. */
export interface ListRequest<Filters> {
  filters: Filters;
  /** The most items of the page. */
  limit: number;
  /** Position of the last item before the page; `undefined` for the first page. */
  after: string | undefined;
  /** Returns the cursor for the items after a position. */
  cursorAfter(position: string): string;
}

const CURSOR_PATTERN = /^([\w-]{16})\.([\w-]+)$/;

/**
 * Creates the reader of one list's parameters. Unknown ones are refused. A cursor holds the
 * position of the last item, which must never change, and a digest of what it belongs to: list,
 * account and filters.
 *
 * @param name Name of the list, for its cursors and error messages: `templates`.
 * @param shape Its filters.
 */
export function listReader<Shape extends z.core.$ZodLooseShape>(name: string, shape: Shape) {
  const schema = z.strictObject({ ...LIST_QUERY, ...shape });
  return (accountId: string, query: unknown): ListRequest<z.output<z.ZodObject<Shape>>> => {
    const { data, error } = schema.safeParse(query, BODY_PARSING);
    if (error !== undefined) throw httpErrorOf(`list ${name}`, bodyIssues(error));
    const { limit, cursor, ...filters } = data as z.output<z.ZodObject<typeof LIST_QUERY>>;
    const digest = digestOf([name, accountId, filters]);
    return {
      filters: filters as z.output<z.ZodObject<Shape>>,
      limit,
      after: cursor === undefined ? undefined : positionIn(cursor, { digest, name }),
      cursorAfter: (position) => cursorOf(digest, position),
    };
  };
}

/**
 * Builds a page of the items found.
 *
 * @param found One item more than the limit, if there are that many.
 */
export function pageOf<T>(
  found: readonly T[],
  { limit, cursorAfter }: Pick<ListRequest<unknown>, "limit" | "cursorAfter">,
  positionOf: (item: T) => string,
): ListPage<T> {
  const data = found.slice(0, limit);
  const last = data.at(-1);
  const hasMore = found.length > limit && last !== undefined;
  return { data, next: hasMore ? cursorAfter(positionOf(last)) : null };
}

/** How far a search with a time limit came. */
export interface SearchEnd extends Pick<ListRequest<unknown>, "cursorAfter"> {
  /** Position of the item after which the search continues; null at the end. */
  next: string | null;
  /** Whether the time was too short to fill the page. */
  isCut: boolean;
}

/** Builds a page of the items that such a search found. */
export function searchedPage<T>(data: T[], { next, isCut, cursorAfter }: SearchEnd): ListPage<T> {
  return {
    data,
    next: next === null ? null : cursorAfter(next),
    ...(isCut ? { incomplete: true } : {}),
  };
}

/** Returns the cursor of a position. */
export function cursorOf(digest: string, position: string): string {
  return `${digest}.${Buffer.from(position).toString("base64url")}`;
}

/**
 * Returns the position that a cursor holds.
 *
 * @throws {HttpError} `invalid_cursor` if it belongs to another list, account or filter.
 */
export function positionIn(
  cursor: string,
  { digest, name }: { digest: string; name: string },
): string {
  const [, belongsTo, position = ""] = CURSOR_PATTERN.exec(cursor) ?? [];
  if (belongsTo === digest) return Buffer.from(position, "base64url").toString();
  const reason = "the cursor is not from this list with these filters";
  throw new HttpError("invalid_cursor", `Cannot list ${name}: ${reason}`);
}

/**
 * Returns a digest of what a cursor belongs to. The filters come in the order of the schema, so
 * that equal ones have equal digests.
 */
export function digestOf(what: unknown): string {
  return hash("sha256", JSON.stringify(what), "base64url").slice(0, 16);
}
