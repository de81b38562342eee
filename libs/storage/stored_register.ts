import type { Outcome } from "@posthaste/delivery";
import type { CopyRefused, SmtpReply, TimelineEntry } from "@posthaste/contracts";
import type { Timestamp } from "mongodb";

/** What an attempt came to, with all that is stored of it. */
export interface AttemptOutcome extends Outcome {
  at: Date;
  /** A sentence for people; missing for `sent`. */
  reason?: string;
  /** What the server said. */
  reply?: SmtpReply;
  /** While `deferred`: when to try again. */
  nextAt?: Date;
  /** While `deferred`: `_id` of the integration that refused the login, or is suspended. */
  waitsFor?: string;
  /** SHA-256 of what was sent, in hex. */
  mimeHash?: string;
  /** With `sent`: copies that the mail went without. */
  copiesRefused?: CopyRefused[];
  /** Lines of the timeline since the outcome before. */
  lines: TimelineEntry[];
}

/** A register as it is stored: it is inserted, and never changed. */
export type StoredRegister =
  & {
    /** `<message>/<n>` */
    _id: string;
    by: string;
    /** When it was inserted, by the database's clock. */
    at: Timestamp;
    /** With `dot`: how long its owner waits for the server's reply, at most, in milliseconds. */
    waitMs?: number;
    /** With `dot`: the integration of the attempt, if not the send's own. */
    integrationId?: number;
  }
  & ({ dot: true } | { void: AttemptOutcome });
