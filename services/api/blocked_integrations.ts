import type { Integration } from "@posthaste/contracts";
import { repeat } from "@posthaste/runtime";
import type { StorePart } from "@posthaste/storage";
import type { Logger } from "@posthaste/telemetry";

/** The integrations whose mail has to wait in the ledger. */
export interface BlockedIntegrations {
  /** Returns whether mail of an integration has to wait. */
  has(integration: Pick<Integration, "_id" | "suspended">): boolean;
  /** Keeps the list current until the signal aborts. */
  follow(signal: AbortSignal): Promise<void>;
}

/**
 * How often the ledger is queried. Mail of a blocked integration that is accepted in between is dispatched: a mailer returns
 * it if it cannot go now, and otherwise it may overtake mail that waits.
 */
export interface BlockedOptions {
  /** While mail is accepted, in milliseconds. @default {2000} */
  followMs?: number;
  /** While none is, in milliseconds. @default {10_000} */
  idleMs?: number;
}

/** Opens the list of blocked integrations; it is empty until `follow` is called. */
export function openBlocked(
  { integrations, now, logger }: StorePart<"integrations.listBlocked"> & {
    now(): Date;
    logger: Pick<Logger, "warn">;
  },
  { followMs = 2000, idleMs = 10_000 }: BlockedOptions = {},
): BlockedIntegrations {
  let known: ReadonlySet<string> = new Set();
  let isAsked = false;
  return {
    has({ _id, suspended }) {
      isAsked = true;
      return suspended !== null || known.has(_id);
    },
    async follow(signal) {
      await repeat(async () => {
        const wasAsked = isAsked;
        isAsked = false;
        known = await integrations.listBlocked(now());
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
