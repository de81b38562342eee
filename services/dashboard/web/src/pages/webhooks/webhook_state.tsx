import { Badge } from "@mantine/core";
import type { WebhookState } from "../../../../interface/webhooks.ts";

const SHOWN: Record<WebhookState, { label: string; color: string }> = {
  ready: { label: "Ready", color: "teal.6" },
  failing: { label: "Failing", color: "yellow" },
  down: { label: "Down", color: "red" },
  disabled: { label: "Disabled", color: "gray" },
};

/** Whether a webhook gets requests. */
export function WebhookBadge({ state }: { state: WebhookState }) {
  const { label, color } = SHOWN[state];
  return <Badge variant="dot" color={color} style={{ flexShrink: 0 }}>{label}</Badge>;
}
