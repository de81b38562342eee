/** Every way in which an integration can be, the worst first. */
export const INTEGRATION_STATES = [
  /** A person has stopped it. */
  "paused",
  /** The server refuses what only a person can change. */
  "suspended",
  /** Its server cannot be reached and is left alone until a time. */
  "unreachable",
  /** Mail is tried, and for some time none was accepted. */
  "failing",
  /** Its server failed lately, or mail waits for it. */
  "slow",
  /** Nothing is known to be in the way. */
  "ready",
] as const;

/** How an integration is at a glance. */
export type IntegrationState = (typeof INTEGRATION_STATES)[number];
