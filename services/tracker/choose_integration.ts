import { type Integration, type Message, normalizeAddress } from "@posthaste/contracts";
import { circuitState } from "@posthaste/limits";
import type { IntegrationCircuit } from "@posthaste/storage";

/** An integration as the scheduler finds it. */
export interface Candidate {
  integration: Pick<Integration, "id" | "suspended" | "archivedAt" | "senders">;
  circuit: IntegrationCircuit | undefined;
}

/** A message whose next attempt is due. */
export interface Due {
  /** Its sender address. */
  from: string;
  /** Its attempts with an unknown outcome. */
  unknownAttempts: readonly number[];
  /** The integration that its last attempt could not reach. */
  unreached?: Message["unreached"];
}

/** The integrations that may send a message, and the time. */
export interface Choice {
  /** The integration of the send. */
  own: Candidate;
  /** Its fallbacks that exist, in their order. */
  fallbacks: readonly Candidate[];
  now: Date;
}

/**
 * Returns which integration is to make the next attempt. That is the send's own, unless it is suspended, its
 * circuit is not closed, or the last attempt certainly offered it no mail; then the first fallback that is
 * healthy and may send as this sender. After an unknown outcome, and while a person has paused the send's
 * integration, it stays the send's own.
 */
export function chooseIntegration(message: Due, { own, fallbacks, now }: Choice): number {
  const { id } = own.integration;
  if (own.integration.suspended?.kind === "person") return id;
  if (message.unknownAttempts.length > 0) return id;
  if (isHealthy(own, now) && message.unreached !== id) return id;
  const other = fallbacks.find((candidate) => maySend(candidate, message, { id, now }));
  return other?.integration.id ?? id;
}

/** Returns whether an integration sends at all: it is not stopped, and nothing waits for a probe of its server. */
export function isHealthy({ integration, circuit }: Candidate, now: Date): boolean {
  return integration.suspended === null && circuitState(circuit, now) === "closed";
}

function maySend(
  candidate: Candidate,
  { from, unreached }: Due,
  { id: own, now }: { id: number; now: Date },
): boolean {
  const { id, senders, archivedAt } = candidate.integration;
  if (id === own || id === unreached || archivedAt !== null) return false;
  const sender = normalizeAddress(from);
  return isHealthy(candidate, now) && senders.some((one) => normalizeAddress(one) === sender);
}
