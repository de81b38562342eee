import { Badge } from "@mantine/core";
import {
  type Icon,
  IconAlertTriangle,
  IconCircleCheck,
  IconClockPause,
  IconMailX,
  IconPlayerPause,
  IconPlugConnectedX,
} from "@tabler/icons-react";
import type {
  IntegrationHealthView,
  IntegrationState,
} from "../../../../interface/integrations.ts";

const SHOWN: Record<IntegrationState, { label: string; color: string; icon: Icon }> = {
  ready: { label: "Ready", color: "teal", icon: IconCircleCheck },
  slow: { label: "Delayed", color: "yellow", icon: IconClockPause },
  failing: { label: "Failing", color: "red", icon: IconMailX },
  unreachable: { label: "Not reachable", color: "orange", icon: IconPlugConnectedX },
  suspended: { label: "Suspended", color: "red", icon: IconAlertTriangle },
  paused: { label: "Paused", color: "gray", icon: IconPlayerPause },
};

/** How an integration is, at a glance: by colour, sign and word. */
export function StateBadge({ state }: Pick<IntegrationHealthView, "state">) {
  const { label, color, icon: Sign } = SHOWN[state];
  return (
    <Badge
      variant="light"
      color={color}
      tt="none"
      fw={600}
      style={{ flexShrink: 0 }}
      leftSection={<Sign size={13} aria-hidden />}
      styles={{ label: { color: "var(--mantine-color-text)" } }}
    >
      {label}
    </Badge>
  );
}
