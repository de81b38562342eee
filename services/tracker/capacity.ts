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
  /** How many milliseconds ago a message began to be tried; infinite if that is not known. */
  triedMsAgo: number;
  now: Date;
}

/** For an integration that no longer exists: its mail fails immediately. */
const GONE = 2000;

/**
 * Returns how many messages of an integration may be dispatched now: none while it is suspended or its
 * circuit is open, one as a probe after such a pause, and otherwise the rest of its window. Each within its rate.
 */
export function capacityFor(view: CapacityView): number {
  const { integration, circuit, inFlight, window, now } = view;
  if (integration === null) return GONE;
  if (integration.suspended !== null) return 0;
  const rate = withinRate(integration, view);
  const probes = circuitCapacity(circuit, { now, inFlight });
  if (probes < Infinity) return Math.min(probes, rate);
  return Math.max(0, Math.min(window, rate) - inFlight);
}

/** How early a message of a low rate is dispatched, in milliseconds: less than a mailer lets it wait for the rate. */
const EARLY_MS = 5000;

/** Returns the number of messages for the next two seconds, or the next one in time. The mailers enforce the rate itself. */
function withinRate(
  { maxPerMinute }: Integration,
  { triedMsAgo }: Pick<CapacityView, "triedMsAgo">,
): number {
  if (maxPerMinute === null) return Infinity;
  if (triedMsAgo < 60_000 / maxPerMinute - EARLY_MS) return 0;
  return Math.max(1, Math.ceil(maxPerMinute / 30));
}
