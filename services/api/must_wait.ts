import type { Integration, Priority } from "@posthaste/contracts";
import type { BlockedIntegrations } from "./blocked_integrations.ts";

/**
 * Returns whether mail of an integration waits in the ledger until the scheduler dispatches it. Small sends to an
 * integration that works and has no rate limit do not.
 */
export function mustWait(
  integration: Pick<Integration, "_id" | "suspended" | "maxPerMinute">,
  priority: Priority,
  blocked: Pick<BlockedIntegrations, "has">,
): boolean {
  return priority === "bulk" || integration.maxPerMinute !== null || blocked.has(integration);
}
