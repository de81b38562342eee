import { useMutation, useQuery } from "@tanstack/react-query";
import type { ApiPageView, ApiTrial, ApiTrialAnswer } from "../../../../interface/api_page.ts";
import { request } from "../../api.ts";

/** Returns the interface for programs, as its document describes it. */
export function useApi() {
  return useQuery({
    queryKey: ["interface"],
    queryFn: ({ signal }) => request<ApiPageView>("/interface", { signal }),
    staleTime: Infinity,
  });
}

/** Sends a request of the interface, through the dashboard. */
export function useTrial() {
  return useMutation({
    mutationFn: (trial: ApiTrial) =>
      request<ApiTrialAnswer>("/interface/try", { method: "POST", body: trial }),
  });
}
