import type { Message } from "@posthaste/contracts";

/** An attempt that ended, and when. */
export interface EndedAttempt {
  at: Date;
  messageId: Message["_id"];
}

/** An attempt that the server did not accept, and why. */
export interface FailedAttempt extends EndedAttempt {
  /** A sentence, with the codes of the reply; without its words, which may name people. */
  reason: string;
}

/** The latest results of an integration, as stored. A field is missing as long as there was none. */
export interface StoredResults {
  /** `_id` of the integration. */
  _id: string;
  accountId: string;
  lastSent?: EndedAttempt;
  lastFailed?: FailedAttempt;
  /** Time of the first failure after the last success; null if there is none. */
  failingSince: Date | null;
}
