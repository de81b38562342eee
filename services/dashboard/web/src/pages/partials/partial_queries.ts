import { useQuery } from "@tanstack/react-query";
import type { PartialRow, PartialView, TouchedTemplate } from "../../../../interface/partials.ts";
import { request } from "../../api.ts";

/** Name under which the values of the account's brand are stored. */
export const BRAND = "@brand";

/** Returns the cache key of partials. */
export function partialKey(...rest: string[]) {
  return ["partials", ...rest] as const;
}

/** Returns the path of a partial's routes, below `/api`. */
export function partialApi(name: string): string {
  return `/partials/${encodeURIComponent(name)}`;
}

/** Returns the partials of the account, and its brand. */
export function usePartials() {
  return useQuery({
    queryKey: partialKey(),
    queryFn: ({ signal }) => request<PartialRow[]>("/partials", { signal }),
  });
}

/** Returns one partial with its draft. */
export function usePartial(name: string) {
  return useQuery({
    queryKey: partialKey(name),
    queryFn: ({ signal }) => request<PartialView>(partialApi(name), { signal }),
  });
}

/** Returns the templates that publishing a partial publishes again. */
export function useTouched(name: string, { enabled = true } = {}) {
  return useQuery({
    queryKey: partialKey(name, "templates"),
    queryFn: ({ signal }) =>
      request<TouchedTemplate[]>(`${partialApi(name)}/templates`, { signal }),
    staleTime: 0,
    enabled,
  });
}
