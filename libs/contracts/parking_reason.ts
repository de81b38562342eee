/** Why a message waits in the ledger for its integration's turn: sentences for people. */
export const PARKING_REASON = {
  /** More comes than the server takes. */
  busy: "The SMTP server is busy with other mail of this integration",
  /** What came before has not gone yet. */
  behind: "Other mail of this integration waits for its turn",
  /** Its rate is used up. */
  rate: "The integration's rate limit is reached",
  /** A person must look at it first. */
  suspended: (reason: string) => `The integration is suspended: ${reason}`,
  /** The login is tried again in a minute. */
  loginRefused: (reason: string) => `The integration waits for a minute: ${reason}`,
  /** It is left alone for a while. */
  unreachable: (reason: string) => `The SMTP server cannot be reached: ${reason}`,
} as const;
