import { Badge } from "@mantine/core";
import type { BatchRow } from "../../../../interface/batches.ts";

const SHOWN: Record<BatchRow["state"], { label: string; color: string }> = {
  open: { label: "Open", color: "blue" },
  closed: { label: "Closed", color: "teal.6" },
  canceled: { label: "Canceled", color: "gray" },
};

/** Whether a batch takes recipients, and whether its mail leaves. */
export function BatchBadge({ state }: { state: BatchRow["state"] }) {
  const { label, color } = SHOWN[state];
  return <Badge variant="dot" color={color} tt="none" style={{ flexShrink: 0 }}>{label}</Badge>;
}
