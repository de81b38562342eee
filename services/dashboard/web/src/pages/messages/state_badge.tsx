import type { IconType } from "react-icons";
import {
  TbAlertTriangle,
  TbBan,
  TbCalendarTime,
  TbCheck,
  TbClock,
  TbFileText,
  TbHelp,
  TbHourglass,
  TbMailOff,
  TbPrinter,
  TbSend,
  TbX,
} from "react-icons/tb";
import type { MessageRow } from "../../../../interface/messages.ts";
import { StatePill } from "../../parts/state_pill.tsx";

type State = MessageRow["state"];

/** States that a message can be in; the others occur only in its timeline. */
export const LIVE_STATES = [
  ...["scheduled", "queued", "deferred", "sending"] as const,
  ...["unknown", "sent", "failed", "canceled", "suppressed"] as const,
] satisfies State[];

/** How a state is shown: the word carries the meaning, the colour only helps. */
export const STATE_LOOK: Readonly<Record<State, { label: string; color: string; icon: IconType }>> =
  {
    scheduled: { label: "Scheduled", color: "gray", icon: TbCalendarTime },
    queued: { label: "Queued", color: "gray", icon: TbClock },
    rendered: { label: "Rendered", color: "gray", icon: TbFileText },
    printed: { label: "Printed", color: "gray", icon: TbPrinter },
    deferred: { label: "Deferred", color: "yellow", icon: TbAlertTriangle },
    sending: { label: "Sending", color: "blue", icon: TbSend },
    unknown: { label: "Unknown", color: "orange", icon: TbHelp },
    sent: { label: "Sent", color: "teal", icon: TbCheck },
    failed: { label: "Failed", color: "red", icon: TbX },
    canceled: { label: "Canceled", color: "gray", icon: TbBan },
    suppressed: { label: "Suppressed", color: "gray", icon: TbMailOff },
  };

/** A message that waits in the ledger for its integration, queued or deferred. */
const WAITING = { label: "Waiting", color: "yellow", icon: TbHourglass } as const;

/** Shows a message's state as a word with a sign. */
export function StateBadge({ state, isWaiting = false, size = "md" }: {
  state: State;
  isWaiting?: boolean;
  size?: "md" | "lg";
}) {
  const look = isWaiting ? WAITING : STATE_LOOK[state];
  return <StatePill {...look} size={size} />;
}
