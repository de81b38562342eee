import type { WebhookDeliveryView, WebhookState } from "../../../../interface/webhooks.ts";
import type { StateLook } from "../../parts/state_pill.tsx";

const LOOKS: Readonly<Record<WebhookState, StateLook>> = {
  ready: { label: "Ready", color: "teal" },
  failing: { label: "Failing", color: "yellow" },
  down: { label: "Down", color: "red" },
  disabled: { label: "Disabled", color: "gray" },
};

/** Returns the word and the colour of an endpoint's state. */
export function lookOfWebhook(state: WebhookState): StateLook {
  return LOOKS[state];
}

const BY_DELIVERY: Readonly<Record<WebhookDeliveryView["state"], StateLook>> = {
  retrying: { label: "Retrying", color: "yellow" },
  failed: { label: "Failed", color: "red" },
  delivered: { label: "Delivered", color: "teal" },
};

/** Returns the word and the colour of the state of a delivery. */
export function lookOfDelivery(state: WebhookDeliveryView["state"]): StateLook {
  return BY_DELIVERY[state];
}
