import type { Integration } from "@posthaste/contracts";
import { circuitCapacity } from "@posthaste/limits";
import type { IntegrationCircuit } from "@posthaste/storage";

/** Input of a decision. */
export interface CapacityView {
  /** Null if it does not exist any more. */
  integration: Integration | null;
  circuit: IntegrationCircuit | undefined;
  /** Messages in flight: dispatched, without an outcome. */
  inFlight: number;
  /** Maximum number of messages in flight. */
  window: number;
  /** Messages whose time has come by the rate a minute; infinite without one. */
  turns: number;
  now: Date;
}

/** For an integration that no longer exists: its mail fails immediately. */
const GONE = 2000;

/**
 * Returns how many messages of an integration may be dispatched now: none while it is suspended or its
 * circuit is open, one as a probe after such a pause, and otherwise the rest of its window. Never more than the window
 * and the rate permit.
 */
export function capacityFor(view: CapacityView): number {
  const { integration, circuit, inFlight, window, turns, now } = view;
  if (integration === null) return GONE;
  if (integration.suspended !== null) return 0;
  const probes = circuitCapacity(circuit, { now, inFlight });
  return Math.max(0, Math.min(probes, window - inFlight, Math.floor(turns)));
}
