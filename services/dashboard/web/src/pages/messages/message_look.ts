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
import type { MessageRow, TimelineStep } from "../../../../interface/messages.ts";
import type { SignedLook } from "../../parts/state_pill.tsx";

/** A state of a message. */
export type MessageState = MessageRow["state"];

/** Every state of a message, in the order in which pages show them. */
export const LIVE_STATES = [
  ...["scheduled", "queued", "deferred", "sending"] as const,
  ...["unknown", "sent", "failed", "canceled", "suppressed"] as const,
] satisfies MessageState[];

const LOOKS: Readonly<Record<TimelineStep["type"], SignedLook>> = {
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

/** The sign and the colour of a message that waits in the ledger for its integration, queued or deferred. */
const WAITING: Pick<SignedLook, "color" | "icon"> = { color: "yellow", icon: TbHourglass };

/**
 * Returns the word, the colour and the sign of a state, or of a step of a timeline. All pages and charts ask
 * this function.
 *
 * @param isWaiting Whether the message waits for its integration. The word stays: waiting is no state. @default {false}
 */
export function lookOfMessage(state: TimelineStep["type"], isWaiting = false): SignedLook {
  return { ...LOOKS[state], ...(isWaiting ? WAITING : {}) };
}
