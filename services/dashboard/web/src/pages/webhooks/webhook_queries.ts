import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type {
  WebhookDeliveryDetail,
  WebhookDeliveryList,
  WebhookView,
} from "../../../../interface/webhooks.ts";
import { request } from "../../api.ts";

const EVERY_MS = 5000;

/** Returns the webhooks of the account, and their states. */
export function useWebhooks() {
  return useQuery({
    queryKey: ["webhooks"],
    queryFn: ({ signal }) => request<WebhookView[]>("/webhooks", { signal }),
    refetchInterval: EVERY_MS,
  });
}

/** Returns one webhook. */
export function useWebhook(id: string) {
  return useQuery({
    queryKey: ["webhooks", id],
    queryFn: ({ signal }) => request<WebhookView>(`/webhooks/${id}`, { signal }),
    refetchInterval: EVERY_MS,
  });
}

/** Which deliveries are shown. */
export interface DeliveryPage {
  /** All where it is empty. */
  state: string;
  before: string | null;
}

/** Returns a page of the deliveries of a webhook, the newest first. */
export function useDeliveries(id: string, { state, before }: DeliveryPage) {
  const query = new URLSearchParams({
    ...(state === "" ? {} : { state }),
    ...(before === null ? {} : { before }),
  });
  return useQuery({
    queryKey: ["webhooks", id, "deliveries", state, before],
    queryFn: ({ signal }) =>
      request<WebhookDeliveryList>(`/webhooks/${id}/deliveries?${query}`, { signal }),
    refetchInterval: EVERY_MS,
    placeholderData: keepPreviousData,
  });
}

/** Returns the delivery of one event to a webhook, with its body. */
export function useDelivery(id: string, eventId: string | null) {
  return useQuery({
    queryKey: ["webhooks", id, "delivery", eventId],
    queryFn: ({ signal }) =>
      request<WebhookDeliveryDetail>(`/webhooks/${id}/deliveries/${eventId}`, { signal }),
    enabled: eventId !== null,
  });
}
