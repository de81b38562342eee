import {
  TbAlertTriangle,
  TbCircleCheck,
  TbCircleDashed,
  TbClockPause,
  TbLock,
  TbMailX,
  TbPlayerPause,
  TbPlayerPlay,
  TbPlugConnected,
  TbPlugConnectedX,
} from "react-icons/tb";
import type {
  IntegrationHealthView,
  IntegrationState,
  IntegrationView,
} from "../../../../interface/integrations.ts";
import type { SignedLook } from "../../parts/state_pill.tsx";

const LOOKS: Readonly<Record<IntegrationState, SignedLook>> = {
  ready: { label: "Ready", color: "teal", icon: TbCircleCheck },
  slow: { label: "Delayed", color: "yellow", icon: TbClockPause },
  failing: { label: "Failing", color: "red", icon: TbMailX },
  unreachable: { label: "Unreachable", color: "orange", icon: TbPlugConnectedX },
  suspended: { label: "Suspended", color: "red", icon: TbAlertTriangle },
  paused: { label: "Paused", color: "gray", icon: TbPlayerPause },
};

const UNUSED: SignedLook = { label: "Not used yet", color: "gray", icon: TbCircleDashed };

/** Returns the word, the colour and the sign of an integration. Without any attempt its state is unknown. */
export function lookOfIntegration(
  { state, lastSent, lastFailed }: Pick<
    IntegrationHealthView,
    "state" | "lastSent" | "lastFailed"
  >,
): SignedLook {
  const isUnused = state === "ready" && lastSent === null && lastFailed === null;
  return isUnused ? UNUSED : LOOKS[state];
}

type EventType = IntegrationView["history"][number]["type"];

const BY_EVENT: Readonly<Record<EventType, SignedLook>> = {
  suspended: LOOKS.suspended,
  paused: LOOKS.paused,
  resumed: { ...LOOKS.ready, label: "Resumed", icon: TbPlayerPlay },
  unreachable: LOOKS.unreachable,
  login_refused: { ...LOOKS.unreachable, label: "Login refused", icon: TbLock },
  reachable: { ...LOOKS.ready, label: "Reachable again", icon: TbPlugConnected },
};

/** Returns the word, the colour and the sign of an event: those of the state that it begins. */
export function lookOfEvent(type: EventType): SignedLook {
  return BY_EVENT[type];
}
