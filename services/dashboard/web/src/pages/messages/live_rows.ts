import { type InfiniteData, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { MessageList, MessageRow, StateTotals } from "../../../../interface/messages.ts";
import { addressOf } from "../../api.ts";
import { type Filter, mergeRows, queryOf } from "./query_filter.ts";

/** Whether changes appear automatically. */
export type LiveState = "off" | "connecting" | "on";

const REFETCH_MS = 2000;

/**
 * Keeps a list current by the server's events while it is on: the unfiltered list by the events'
 * contents, a filtered one by querying again, at most every 2 s.
 */
export function useLiveRows(
  filter: Filter,
  isOn: boolean,
): { live: LiveState; counts: StateTotals | undefined } {
  const client = useQueryClient();
  const [live, setLive] = useState<LiveState>("off");
  const [counts, setCounts] = useState<StateTotals>();
  const query = queryOf(filter);
  useEffect(() => {
    if (!isOn) {
      setLive("off");
      return;
    }
    setLive("connecting");
    const source = new EventSource(addressOf("/messages/stream"));
    const key = ["messages", "list", query];
    let timer: ReturnType<typeof setTimeout> | undefined;
    source.addEventListener("open", () => setLive("on"));
    // The browser reconnects by itself.
    source.addEventListener("error", () => setLive("connecting"));
    source.addEventListener("counts", ({ data }) => setCounts(JSON.parse(data)));
    source.addEventListener("rows", ({ data }) => {
      if (query !== "") {
        timer ??= setTimeout(() => {
          timer = undefined;
          void client.invalidateQueries({ queryKey: key });
        }, REFETCH_MS);
        return;
      }
      const news: MessageRow[] = JSON.parse(data);
      client.setQueryData<InfiniteData<MessageList>>(key, (old) => old && withNews(old, news));
    });
    return () => {
      clearTimeout(timer);
      source.close();
    };
  }, [client, isOn, query]);
  return { live, counts };
}

function withNews(
  old: InfiniteData<MessageList>,
  news: readonly MessageRow[],
): InfiniteData<MessageList> {
  const [first, ...rest] = old.pages;
  if (first === undefined) return old;
  // Later pages begin where the first ended, so it may grow, and loses nothing.
  const rows = mergeRows(first.rows, news, rest.length > 0 ? Infinity : 50);
  const last = rows.at(-1);
  const next = rest.length === 0 && rows.length === 50 && last ? last.id : first.next;
  return { ...old, pages: [{ ...first, rows, next }, ...rest] };
}
