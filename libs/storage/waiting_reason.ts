import type { Integration } from "@posthaste/contracts";
import { type IntegrationCircuit, reasonOfCircuit } from "./integration_circuit.ts";

/** Why mail waits for its integration, whatever that is: sentences for people. */
export const WAITING_REASON = {
  /** More comes than the server takes. */
  busy: "The SMTP server is busy with other messages of this integration",
  /** What came before has not gone yet. */
  behind: "Other messages of this integration go first",
  /** Its rate is used up. */
  rate: "The integration's rate limit is reached",
} as const;

/** Returns why an integration sends nothing now: a sentence for people, or `undefined` if it does. */
export function reasonOfPause(
  integration: Pick<Integration, "suspended"> | null,
  circuit: Pick<IntegrationCircuit, "openUntil" | "reason" | "loginRefusedAt"> | null | undefined,
): string | undefined {
  if (integration?.suspended) {
    return `The integration is suspended: ${integration.suspended.reason}`;
  }
  return circuit?.openUntil ? reasonOfCircuit(circuit) : undefined;
}
