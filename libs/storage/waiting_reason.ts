import type { Integration } from "@posthaste/contracts";
import { type IntegrationCircuit, reasonOfCircuit } from "./integration_circuit.ts";

/** The reasons why mail waits for its integration: sentences for people. */
export const WAITING_REASON = {
  /** The mail exceeds the server's capacity. */
  busy: "The SMTP server is busy with other messages of this integration",
  /** Earlier mail has not been sent yet. */
  behind: "Other messages of this integration go first",
  /** Its rate is used up. */
  rate: "The integration's rate limit is reached",
} as const;

/** Returns why an integration sends nothing now, as a sentence for people; `undefined` if it sends. */
export function reasonOfPause(
  integration: Pick<Integration, "suspended"> | null,
  circuit: Pick<IntegrationCircuit, "openUntil" | "reason" | "loginRefusedAt"> | null | undefined,
): string | undefined {
  if (integration?.suspended) {
    const { kind, reason } = integration.suspended;
    return `The integration is ${kind === "person" ? "paused" : "suspended"}: ${reason}`;
  }
  return circuit?.openUntil ? reasonOfCircuit(circuit) : undefined;
}
