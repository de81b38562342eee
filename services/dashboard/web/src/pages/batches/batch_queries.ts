import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { BatchList, BatchSends, BatchView } from "../../../../interface/batches.ts";
import { request } from "../../api.ts";

/** Counting the messages of a large batch may take seconds. */
const OPEN_MS = 5000;

/** Returns the batches of the account, newest first. @param state All if it is empty. */
export function useBatches(state: string) {
  return useInfiniteQuery({
    queryKey: ["batches", "list", state],
    queryFn: ({ signal, pageParam: before }) =>
      request<BatchList>(`/batches${queryOf({ state, before })}`, { signal }),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next ?? undefined,
    placeholderData: keepPreviousData,
  });
}

/** Returns one batch, and again while its messages are on their way. */
export function useBatch(id: string) {
  return useQuery({
    queryKey: ["batches", id],
    queryFn: ({ signal }) => request<BatchView>(`/batches/${id}`, { signal }),
    refetchInterval: ({ state }) => state.data?.isSettled ? false : OPEN_MS,
  });
}

/** Returns the sends of a batch, newest first. */
export function useBatchSends(id: string, isSettled: boolean) {
  return useInfiniteQuery({
    queryKey: ["batches", id, "sends"],
    queryFn: ({ signal, pageParam: before }) =>
      request<BatchSends>(`/batches/${id}/sends${queryOf({ before })}`, { signal }),
    initialPageParam: "",
    getNextPageParam: ({ next }) => next ?? undefined,
    refetchInterval: isSettled ? false : OPEN_MS,
  });
}

function queryOf(given: Record<string, string>): string {
  const entries = Object.entries(given).filter(([, value]) => value !== "");
  return entries.length === 0 ? "" : `?${new URLSearchParams(entries)}`;
}
