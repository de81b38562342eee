import type { Integration } from "@posthaste/contracts";
import { circuitCapacity } from "@posthaste/limits";
import type { IntegrationCircuit } from "@posthaste/storage";

/** What a decision is made by. */
export interface CapacityView {
  /** Null if it does not exist any more. */
  integration: Integration | null;
  circuit: IntegrationCircuit | undefined;
  /** Messages that were dispatched and have not come to an outcome. */
  inFlight: number;
  /** How many may be. */
  window: number;
  now: Date;
}

/** Of an integration that is gone: its mail fails at once. */
const GONE = 2000;

/**
 * Decides how many messages of an integration may be dispatched now. None while it is suspended or its
 * server left alone; one, as a probe, after such a pause; else what its window has left.
 */
export function capacityFor({ integration, circuit, inFlight, window, now }: CapacityView): number {
  if (integration === null) return GONE;
  if (integration.suspended !== null) return 0;
  const probes = circuitCapacity(circuit, { now, inFlight });
  if (probes < Infinity) return probes;
  return Math.max(0, Math.min(window, withinRate(integration)) - inFlight);
}

/** What has waited as long as mail may wait is dispatched, to fail: so many of an integration at once. */
export const MAX_EXPIRED = 200;

/** Returns whether mail has waited as long as its integration has mail wait. */
export function isExpired(
  { acceptedAt }: { acceptedAt: Date },
  { integration, now }: Pick<CapacityView, "integration" | "now">,
): boolean {
  return integration !== null && now.getTime() - acceptedAt.getTime() >= integration.retryForMs;
}

/** Chooses what goes now: `fresh` up to `capacity`, and of what has `expired` up to 200. */
export function chooseWithin<T extends { acceptedAt: Date }>(
  found: readonly T[],
  { capacity, ...view }: Pick<CapacityView, "integration" | "now"> & { capacity: number },
): { fresh: T[]; expired: T[] } {
  const byExpiry = Map.groupBy(found, (one) => isExpired(one, view));
  return {
    fresh: byExpiry.get(false)?.slice(0, capacity) ?? [],
    expired: byExpiry.get(true)?.slice(0, MAX_EXPIRED) ?? [],
  };
}

/** What may go within two seconds. The mailers hold the rate itself, and what they have ends at it. */
function withinRate({ maxPerMinute }: Integration): number {
  return maxPerMinute === null ? Infinity : Math.max(1, Math.ceil(maxPerMinute / 30));
}
