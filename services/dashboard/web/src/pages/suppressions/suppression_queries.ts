import { keepPreviousData, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import type { ImportView, SuppressionList } from "../../../../interface/suppressions.ts";
import { request } from "../../api.ts";

const KEY = "suppressions";

/** Returns the addresses that contain a text, page by page. */
export function useSuppressions(part: string) {
  return useInfiniteQuery({
    queryKey: [KEY, part],
    queryFn: ({ signal, pageParam: after }) => {
      const query = new URLSearchParams({
        ...(part === "" ? {} : { part }),
        ...(after === "" ? {} : { after }),
      });
      return request<SuppressionList>(`/suppressions?${query}`, { signal });
    },
    initialPageParam: "",
    getNextPageParam: ({ next }) => next ?? undefined,
    placeholderData: keepPreviousData,
    // Servers and programs add addresses, too.
    staleTime: 0,
  });
}

/** Returns a function that loads the list again, and messages that show an entry. */
export function useListChanged(): () => Promise<void> {
  const client = useQueryClient();
  return async () => {
    await client.invalidateQueries({ queryKey: [KEY] });
    await client.invalidateQueries({ queryKey: ["messages"] });
  };
}

/** Imports a file of addresses. A dry look only says what it would do. */
export async function importFile(file: File, { isDry }: { isDry: boolean }): Promise<ImportView> {
  // Systems give CSV files various types, or none.
  const text = new File([file], file.name, { type: "text/csv" });
  return await request<ImportView>(`/suppressions/import?dry=${isDry}`, {
    ...{ method: "POST", file: text },
  });
}
