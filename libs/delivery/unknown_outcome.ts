import { retryAt } from "./retry_at.ts";

/** What becomes of a message of which nobody knows whether the server took it. */
export type AfterUnknown =
  /** Held for a person. */
  | { state: "unknown" }
  /** Tried again: the recipient may get it twice. */
  | { state: "deferred"; nextAt: Date }
  /** The time for retries is over. */
  | { state: "failed" };

/** An attempt whose outcome nobody knows. */
export interface UnknownAttempt {
  /** Number of the attempt, from 1. */
  attempt: number;
  acceptedAt: Date;
  now: Date;
  /** How long is retried, from the acceptance, in milliseconds. */
  retryForMs: number;
  whenUnknown: "retry" | "hold";
  /** First wait of {@linkcode retryAt}, in milliseconds. */
  firstMs?: number;
  /** How long the server may still be busy with the mail, in milliseconds. @default {0} */
  busyMs?: number;
  /** Returns 0 to 1. @default {Math.random} */
  random?: () => number;
}

/** Decides by the policy of its integration what becomes of such a message. */
export function afterUnknown(unknown: UnknownAttempt): AfterUnknown {
  const { whenUnknown, retryForMs, busyMs = 0, now } = unknown;
  if (whenUnknown === "hold") return { state: "unknown" };
  const nextAt = retryAt({ ...unknown, giveUpAfterMs: retryForMs });
  if (nextAt === null) return { state: "failed" };
  const earliest = now.getTime() + busyMs;
  return { state: "deferred", nextAt: new Date(Math.max(nextAt.getTime(), earliest)) };
}
