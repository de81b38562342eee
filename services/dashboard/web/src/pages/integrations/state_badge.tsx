import type { IconType } from "react-icons";
import {
  TbAlertTriangle,
  TbCircleCheck,
  TbCircleDashed,
  TbClockPause,
  TbMailX,
  TbPlayerPause,
  TbPlugConnectedX,
} from "react-icons/tb";
import type {
  IntegrationHealthView,
  IntegrationState,
} from "../../../../interface/integrations.ts";
import { StatePill } from "../../parts/state_pill.tsx";

const SHOWN: Record<IntegrationState, { label: string; color: string; icon: IconType }> = {
  ready: { label: "Ready", color: "teal", icon: TbCircleCheck },
  slow: { label: "Delayed", color: "yellow", icon: TbClockPause },
  failing: { label: "Failing", color: "red", icon: TbMailX },
  unreachable: { label: "Unreachable", color: "orange", icon: TbPlugConnectedX },
  suspended: { label: "Suspended", color: "red", icon: TbAlertTriangle },
  paused: { label: "Paused", color: "gray", icon: TbPlayerPause },
};

const UNUSED = { label: "Not used yet", color: "gray", icon: TbCircleDashed };

/**
 * Shows the state of an integration by colour, sign and word. Without any attempt the state is
 * unknown.
 */
export function StateBadge(
  { state, lastSent, lastFailed }: Pick<
    IntegrationHealthView,
    "state" | "lastSent" | "lastFailed"
  >,
) {
  const isUnused = state === "ready" && lastSent === null && lastFailed === null;
  const look = isUnused ? UNUSED : SHOWN[state];
  return <StatePill {...look} />;
}
