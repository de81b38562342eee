import type { Integration, Priority } from "@posthaste/contracts";
import { repeat } from "@posthaste/runtime";
import type { StorePart } from "@posthaste/storage";
import type { Logger } from "@posthaste/telemetry";

/** Decides which mail waits in the ledger until the scheduler dispatches it. */
export interface WaitRule {
  /**
   * Returns whether mail of an integration has to wait. Small sends to an integration that works and has no rate
   * limit do not.
   */
  mustWait(
    integration: Pick<Integration, "_id" | "suspended" | "maxPerMinute">,
    priority: Priority,
  ): boolean;
  /** Keeps the list of blocked integrations current until the signal aborts. */
  follow(signal: AbortSignal): Promise<void>;
}

/**
 * How often the ledger is queried. Mail of a blocked integration that is accepted in between is dispatched: a mailer returns
 * it if it cannot go now, and otherwise it may overtake mail that waits.
 */
export interface WaitRuleOptions {
  /** While small sends are accepted, in milliseconds. @default {2000} */
  followMs?: number;
  /** While none is, in milliseconds. @default {10_000} */
  idleMs?: number;
}

/** Opens the rule; it knows no blocked integration until `follow` is called. */
export function openWaitRule(
  { integrations, now, logger }: StorePart<"integrations.listBlocked"> & {
    now(): Date;
    logger: Pick<Logger, "warn">;
  },
  { followMs = 2000, idleMs = 10_000 }: WaitRuleOptions = {},
): WaitRule {
  let blocked: ReadonlySet<string> = new Set();
  let isAsked = false;
  return {
    mustWait({ _id, suspended, maxPerMinute }, priority) {
      if (priority === "bulk" || maxPerMinute !== null) return true;
      isAsked = true;
      return suspended !== null || blocked.has(_id);
    },
    async follow(signal) {
      await repeat(async () => {
        const wasAsked = isAsked;
        isAsked = false;
        blocked = await integrations.listBlocked(now());
        return wasAsked;
      }, {
        everyMs: followMs,
        idleMs,
        failure: "Cannot read which integrations are blocked",
        ...{ logger, signal },
      });
    },
  };
}
