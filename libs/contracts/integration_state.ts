/** The states of an integration, the worst first. */
export const INTEGRATION_STATES = [
  /** A person has stopped it. */
  "paused",
  /** The server refuses mail until a person changes something. */
  "suspended",
  /** Its server cannot be reached, and its circuit is open until a time. */
  "unreachable",
  /** Mail is attempted, and none has been accepted for some time. */
  "failing",
  /** Its server failed lately, or mail waits for it. */
  "slow",
  /** No obstacle is known. */
  "ready",
] as const;

/** A state of an integration. */
export type IntegrationState = (typeof INTEGRATION_STATES)[number];
