import type { WebhookState } from "../../../../interface/webhooks.ts";
import { StatePill } from "../../parts/state_pill.tsx";

const SHOWN: Record<WebhookState, { label: string; color: string }> = {
  ready: { label: "Ready", color: "teal" },
  failing: { label: "Failing", color: "yellow" },
  down: { label: "Down", color: "red" },
  disabled: { label: "Disabled", color: "gray" },
};

/** Whether a webhook gets requests. */
export function WebhookBadge({ state }: { state: WebhookState }) {
  return <StatePill {...SHOWN[state]} />;
}
