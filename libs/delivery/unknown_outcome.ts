import { retryAt } from "./retry_at.ts";

/** The next state of a message with an unknown outcome. */
export type AfterUnknown =
  /** Held for a person. */
  | { state: "unknown" }
  /** Tried again: the recipient may get it twice. */
  | { state: "deferred"; nextAt: Date }
  /** The time for retries is over. */
  | { state: "failed" };

/** An attempt with an unknown outcome. */
export interface UnknownAttempt {
  /** Number of the attempt, from 1. */
  attempt: number;
  acceptedAt: Date;
  now: Date;
  /** How long to retry, from the acceptance, in milliseconds. */
  retryForMs: number;
  whenUnknown: "retry" | "hold";
  /** First wait of {@linkcode retryAt}, in milliseconds. */
  firstMs?: number;
  /** How long the server may still be busy with the mail, in milliseconds. @default {0} */
  busyMs?: number;
  /** Returns 0 to 1. @default {Math.random} */
  random?: () => number;
}

/** Returns the next state of such a message, by the policy of its integration. */
export function afterUnknown(unknown: UnknownAttempt): AfterUnknown {
  const { whenUnknown, retryForMs, busyMs = 0, now } = unknown;
  if (whenUnknown === "hold") return { state: "unknown" };
  const nextAt = retryAt({ ...unknown, giveUpAfterMs: retryForMs });
  if (nextAt === null) return { state: "failed" };
  const earliest = now.getTime() + busyMs;
  return { state: "deferred", nextAt: new Date(Math.max(nextAt.getTime(), earliest)) };
}
