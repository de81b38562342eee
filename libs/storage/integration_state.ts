import type { Integration, IntegrationState } from "@posthaste/contracts";
import { type IntegrationCircuit, reasonOfCircuit } from "./integration_circuit.ts";
import type { IntegrationResult } from "./integration_results.ts";

export type { IntegrationState };

/** The input that decides the state of an integration. */
export interface IntegrationInput {
  integration: Pick<Integration, "suspended" | "updatedAt">;
  circuit: IntegrationCircuit | null;
  result: IntegrationResult | undefined;
  /** Messages that wait for it. */
  waiting: number;
}

/**
 * A failure may be the mail's fault. If all attempts fail for this long, in milliseconds, the integration is
 * at fault.
 */
export const FAILING_MS = 10 * 60_000;

/**
 * Returns the state of an integration and its reason, from the results of its mail. A cause that stops it
 * comes before one that slows it.
 */
export function integrationStateOf(
  { integration, circuit, result, waiting }: IntegrationInput,
): { state: IntegrationState; reason: string | null } {
  const { suspended, updatedAt } = integration;
  if (suspended !== null) {
    const state = suspended.kind === "person" ? "paused" : "suspended";
    const { reason } = suspended;
    return { state, reason: reason.charAt(0).toUpperCase() + reason.slice(1) };
  }
  if (circuit?.openUntil) {
    const state = circuit.loginRefusedAt ? "failing" : "unreachable";
    return { state, reason: circuit.loginRefusedAt ? reasonOfCircuit(circuit) : circuit.reason };
  }
  if (result !== undefined && isFailing(result, updatedAt)) {
    return { state: "failing", reason: result.lastFailed?.reason ?? null };
  }
  if (circuit !== null) return { state: "slow", reason: circuit.reason };
  if (waiting > 0) return { state: "slow", reason: "Messages are waiting" };
  return { state: "ready", reason: null };
}

/** Returns since when a state that stops all mail holds; null for the others. */
export function stateSince(
  { integration, state, result }: Pick<IntegrationInput, "integration" | "result"> & {
    state: IntegrationState;
  },
): Date | null {
  if (integration.suspended !== null) return integration.suspended.at;
  return state === "failing" ? result?.failingSince ?? null : null;
}

/** Failures from before a change of settings do not count for the new settings. */
function isFailing({ failingSince, lastFailed }: IntegrationResult, updatedAt: Date): boolean {
  if (failingSince === null || lastFailed === null || lastFailed.at < updatedAt) return false;
  return lastFailed.at.getTime() - failingSince.getTime() >= FAILING_MS;
}
