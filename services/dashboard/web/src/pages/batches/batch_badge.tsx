import type { BatchRow } from "../../../../interface/batches.ts";
import { type StateLook, StatePill } from "../../parts/state_pill.tsx";

const SHOWN: Record<BatchRow["state"], StateLook> = {
  open: { label: "Open", color: "blue" },
  closed: { label: "Closed", color: "teal" },
  canceled: { label: "Canceled", color: "gray" },
};

/** Whether a batch takes recipients, and whether its mail leaves. */
export function BatchBadge({ state }: { state: BatchRow["state"] }) {
  return <StatePill {...SHOWN[state]} />;
}
