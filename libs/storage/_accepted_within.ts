import { idRanges, type IdTimes } from "@posthaste/contracts";
import type { Filter } from "mongodb";

/** Whose ids of sends or messages to look at, and which of them. */
export interface IdPart extends IdTimes {
  /** Only those after this one. */
  after?: string | undefined;
  /** Only those before this one. */
  before?: string | undefined;
}

/**
 * Returns a filter that finds what was accepted within a time, by ids.
 *
 * The ranges of ids are alternatives (`$or`), and each has all conditions: only so does the planner read each
 * from an index, in order.
 *
 * @param conditions What else is to hold; the account is among them already.
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
