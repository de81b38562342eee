import type { WebhookDeliveryView, WebhookState } from "../../../../interface/webhooks.ts";

/** How a state is shown: the word carries the meaning, the colour only helps. */
export interface WebhookLook {
  label: string;
  /** A colour of the theme. */
  color: string;
}

const LOOKS: Readonly<Record<WebhookState, WebhookLook>> = {
  ready: { label: "Ready", color: "teal" },
  failing: { label: "Failing", color: "yellow" },
  down: { label: "Down", color: "red" },
  disabled: { label: "Disabled", color: "gray" },
};

/** Returns the word and the colour of an endpoint's state. */
export function lookOfWebhook(state: WebhookState): WebhookLook {
  return LOOKS[state];
}

const BY_DELIVERY: Readonly<Record<WebhookDeliveryView["state"], WebhookLook>> = {
  retrying: { label: "Retrying", color: "yellow" },
  failed: { label: "Failed", color: "red" },
  delivered: { label: "Delivered", color: "teal" },
};

/** Returns the word and the colour of the state of a delivery. */
export function lookOfDelivery(state: WebhookDeliveryView["state"]): WebhookLook {
  return BY_DELIVERY[state];
}
