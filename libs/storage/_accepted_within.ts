import { idRanges, type IdTimes } from "@posthaste/contracts";
import type { Filter } from "mongodb";

/** The account and the kind of ids to search (sends or messages), and the part of them. */
export interface IdPart extends IdTimes {
  /** Only ids after this one. */
  after?: string | undefined;
  /** Only ids before this one. */
  before?: string | undefined;
}

/**
 * Returns a filter that finds documents accepted within a period, by their ids.
 *
 * The ranges of ids are alternatives (`$or`), and each repeats all conditions. Only then does the planner
 * read each range from an index, in order.
 *
 * @param conditions Further conditions. The account is already among them.
 */
export function acceptedWithin<T extends { _id: string }>(
  kind: "snd" | "msg",
  { after, before, ...times }: IdPart,
  conditions: Filter<T> = {},
): Filter<T> {
  const { accountId, from, until } = times;
  const whole = { first: `${kind}_`, end: `${kind}_~` };
  const ranges = from || until ? idRanges(kind, times) : [whole];
  const account = accountId === undefined ? {} : { accountId };
  const parts = ranges.flatMap(({ first, end }) => {
    const low = after !== undefined && after >= first ? { $gt: after } : { $gte: first };
    const high = before !== undefined && before < end ? before : end;
    const isEmpty = (low.$gt ?? low.$gte) >= high;
    return isEmpty ? [] : { ...account, ...conditions, _id: { ...low, $lt: high } };
  });
  const [only = { ...account, _id: { $in: [] } }] = parts;
  return (parts.length > 1 ? { $or: parts } : only) as Filter<T>;
}
