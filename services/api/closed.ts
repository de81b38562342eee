import type { Integration } from "@posthaste/contracts";
import { repeat } from "@posthaste/runtime";
import type { ClosedIntegrations } from "@posthaste/storage";
import type { Logger } from "@posthaste/telemetry";

/** The integrations whose mail has to wait in the ledger. */
export interface Closed {
  /** Returns whether mail of an integration cannot go now. */
  has(integration: Pick<Integration, "_id" | "suspended">): boolean;
  /** Learns which are closed, until the signal aborts. */
  follow(signal: AbortSignal): Promise<void>;
}

/** What goes on its way meanwhile, the mailer gives back. */
const FOLLOW_MS = 2000;

/** Opens the knowledge about closed integrations; it is empty until it is followed. */
export function openClosed(
  { listClosed, now, logger }: ClosedIntegrations & {
    now(): Date;
    logger: Pick<Logger, "warn">;
  },
): Closed {
  let known: ReadonlySet<string> = new Set();
  return {
    has: ({ _id, suspended }) => suspended !== null || known.has(_id),
    async follow(signal) {
      await repeat(async () => {
        known = await listClosed(now());
      }, {
        everyMs: FOLLOW_MS,
        failure: "Cannot read which integrations are closed",
        ...{ logger, signal },
      });
    },
  };
}
