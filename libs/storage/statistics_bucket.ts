import type { Message } from "@posthaste/contracts";

/** What is counted, each in messages. */
export const COUNTED = [
  "accepted",
  "sent",
  "failed",
  "deferred",
  "unknown",
  "suppressed",
] as const;

/** What is counted. */
export type Counted = (typeof COUNTED)[number];

/** Width of a bucket, in milliseconds: 5 minutes. */
export const STATISTICS_BUCKET_MS = 300_000;

/** What is counted of each integration, in attempts. */
export const COUNTED_ATTEMPTS = ["sent", "failed", "deferred", "unknown"] as const;

/** Attempts of integrations, by their numbers. */
export type AttemptCounts = Record<
  string,
  Partial<Record<(typeof COUNTED_ATTEMPTS)[number], number>>
>;

/** What happened to an account's mail within a bucket's time. */
export type StatisticsBucket = Record<Exclude<Counted, "suppressed">, number> & {
  /** Missing in older buckets. */
  suppressed?: number;
  /** `<account>/<time>` */
  _id: string;
  accountId: string;
  /** When it begins. */
  at: Date;
  integrations?: AttemptCounts;
  /** How often something was noted. */
  notes?: number;
  /** Something was noted since it was counted from messages. */
  isRecountDue?: true;
  /** When it was counted from messages. */
  countedAt?: Date;
};

/** Returns the id of an account's bucket that begins at a time. */
export function idOfBucket(accountId: string, at: Date): string {
  return `${accountId}/${at.toISOString()}`;
}

/** Sends whose messages came to outcomes long after they were accepted, by bucket. */
export interface StatisticsHint {
  at: Date;
  sends: Message["sendId"][];
}
