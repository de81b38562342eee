import { Badge } from "@mantine/core";
import {
  type Icon,
  IconAlertTriangle,
  IconBan,
  IconCheck,
  IconClock,
  IconHelp,
  IconHourglass,
  IconLoader,
  IconX,
} from "@tabler/icons-react";
import type { MessageRow } from "../../../../interface/messages.ts";

type State = MessageRow["state"];

/** States that a message can be in; the others stand in its timeline alone. */
export const LIVE_STATES = [
  ...["queued", "deferred", "sending", "unknown", "sent", "failed", "canceled"] as const,
] satisfies State[];

/** How a state is shown: its word says it, the colour only helps. */
export const STATE_LOOK: Readonly<Record<State, { label: string; color: string; icon: Icon }>> = {
  queued: { label: "Queued", color: "gray", icon: IconClock },
  rendered: { label: "Rendered", color: "gray", icon: IconLoader },
  printed: { label: "Printed", color: "gray", icon: IconLoader },
  deferred: { label: "Deferred", color: "yellow", icon: IconAlertTriangle },
  sending: { label: "Sending", color: "blue", icon: IconLoader },
  unknown: { label: "Unknown", color: "orange", icon: IconHelp },
  sent: { label: "Sent", color: "teal", icon: IconCheck },
  failed: { label: "Failed", color: "red", icon: IconX },
  canceled: { label: "Canceled", color: "gray", icon: IconBan },
};

/** What waits in the ledger for its integration, queued or deferred. */
const WAITING = { label: "Waiting", color: "yellow", icon: IconHourglass } as const;

/** A message's state as a word with a sign. */
export function StateBadge({ state, isWaiting = false, size = "md" }: {
  state: State;
  isWaiting?: boolean;
  size?: "md" | "lg";
}) {
  const { label, color, icon: Sign } = isWaiting ? WAITING : STATE_LOOK[state];
  return (
    <Badge
      variant="light"
      color={color}
      autoContrast
      size={size}
      tt="none"
      fw={600}
      leftSection={<Sign size={13} aria-hidden />}
      styles={{ label: { color: "var(--mantine-color-text)" } }}
    >
      {label}
    </Badge>
  );
}
