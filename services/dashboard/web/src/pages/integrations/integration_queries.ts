import { useQuery } from "@tanstack/react-query";
import type {
  IntegrationSummary,
  IntegrationView,
  ProviderPreset,
} from "../../../../interface/integrations.ts";
import { request } from "../../api.ts";

const LIVE_MS = 10_000;

/** All integrations, kept up to date. */
export function useIntegrations() {
  return useQuery({
    queryKey: ["integrations"],
    queryFn: ({ signal }) => request<IntegrationSummary[]>("/integrations", { signal }),
    refetchInterval: LIVE_MS,
  });
}

/** One integration, kept up to date. */
export function useIntegration(id: number) {
  return useQuery({
    queryKey: ["integrations", id],
    queryFn: ({ signal }) => request<IntegrationView>(`/integrations/${id}`, { signal }),
    refetchInterval: LIVE_MS,
  });
}

/** Well-known providers. */
export function usePresets() {
  return useQuery({
    queryKey: ["integrations", "presets"],
    queryFn: ({ signal }) => request<ProviderPreset[]>("/integrations/presets", { signal }),
    staleTime: Infinity,
  });
}
