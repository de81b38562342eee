import type { WebhookState } from "../../../../interface/webhooks.ts";
import { StatePill } from "../../parts/state_pill.tsx";
import { lookOfWebhook } from "./webhook_look.ts";

/** Shows whether a webhook gets requests. */
export function WebhookBadge({ state }: { state: WebhookState }) {
  return <StatePill {...lookOfWebhook(state)} />;
}
