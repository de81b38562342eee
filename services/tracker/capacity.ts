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
  now: Date;
}

/** For an integration that no longer exists: its mail fails immediately. */
const GONE = 2000;

/**
 * Returns how many messages of an integration may be dispatched now: none while it is suspended or its
 * circuit is open, one as a probe after such a pause, and otherwise the rest of its window.
 */
export function capacityFor({ integration, circuit, inFlight, window, now }: CapacityView): number {
  if (integration === null) return GONE;
  if (integration.suspended !== null) return 0;
  const probes = circuitCapacity(circuit, { now, inFlight });
  if (probes < Infinity) return probes;
  return Math.max(0, Math.min(window, withinRate(integration)) - inFlight);
}

/** Returns the number of messages for the next two seconds. The mailers enforce the rate itself. */
function withinRate({ maxPerMinute }: Integration): number {
  return maxPerMinute === null ? Infinity : Math.max(1, Math.ceil(maxPerMinute / 30));
}
