import { useSearchParams } from "wouter";
import type { MessageQuery, MessageRow } from "../../../../interface/messages.ts";

/** A filter in the form of the address's query, which can be shared as a link. */
export type Filter = Omit<MessageQuery, "before">;

const NAMES = [
  ...["state", "template", "integration", "send", "email", "from", "until", "text"] as const,
  ...["batch", "reason", "code", "enhanced"] as const,
];

/** Reads and writes the filter in the address. */
export function useFilter(): [Filter, (changes: Filter) => void] {
  const [params, setParams] = useSearchParams();
  const filter: Filter = {};
  for (const name of NAMES) {
    const value = params.get(name);
    if (value !== null && value !== "") filter[name] = value;
  }
  const change = (changes: Filter) => {
    const next = new URLSearchParams();
    for (const [name, value] of Object.entries({ ...filter, ...changes })) {
      if (value !== undefined && value !== "") next.set(name, value);
    }
    setParams(next, { replace: true });
  };
  return [filter, change];
}

/** Returns the changes that clear a filter. */
export function clearedOf(filter: Filter): Filter {
  return Object.fromEntries(Object.keys(filter).map((name) => [name, ""]));
}

/** Formats a filter as a query: `?state=failed`, or an empty string. */
export function queryOf(filter: MessageQuery): string {
  const entries = Object.entries(filter).filter(([, value]) => value !== undefined && value !== "");
  return entries.length === 0 ? "" : `?${new URLSearchParams(Object.fromEntries(entries))}`;
}

/** Inserts new and changed lines into a list: newest first, up to its limit. */
export function mergeRows(
  rows: readonly MessageRow[],
  news: readonly MessageRow[],
  limit: number,
): MessageRow[] {
  const byId = new Map([...rows, ...news].map((row) => [row.id, row]));
  return [...byId.values()].toSorted((a, b) => a.id < b.id ? 1 : -1).slice(0, limit);
}
