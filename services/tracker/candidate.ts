import type { Integration } from "@posthaste/contracts";
import type { Candidate } from "@posthaste/delivery";
import { circuitState } from "@posthaste/limits";
import type { IntegrationCircuit } from "@posthaste/storage";

/** An integration as the scheduler finds it. */
export interface FoundIntegration {
  integration: Pick<Integration, "id" | "suspended" | "archivedAt" | "senders">;
  circuit: IntegrationCircuit | undefined;
}

/** An integration that may make attempts of some senders. */
export interface SenderCandidate extends Candidate {
  /** Whether its server was unreachable, and one message may show that it is back. */
  isHalfOpen: boolean;
  /** The addresses that it may send from. */
  senders: readonly string[];
  /** Returns whether it may send as this address, in upper or lower case. */
  maySendAs(email: string): boolean;
}

/**
 * Returns an integration as a candidate. It is healthy if it sends at all: it is not stopped, and nothing
 * waits for a probe of its server. One that is archived sends only the mail that it has.
 */
export function candidateOf(
  { integration, circuit }: FoundIntegration,
  now: Date,
): SenderCandidate {
  const { id, suspended, archivedAt } = integration;
  const state = suspended === null ? circuitState(circuit, now) : "suspended";
  const senders = archivedAt === null ? integration.senders : [];
  return {
    id,
    isHealthy: state === "closed",
    isHalfOpen: state === "half_open",
    senders,
    maySendAs(email) {
      const sender = email.toLowerCase();
      return senders.some((one) => one.toLowerCase() === sender);
    },
  };
}
