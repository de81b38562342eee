import type { Integration } from "@posthaste/contracts";

/** Returns whether a message has waited for the maximum time of its integration. */
export function isOverdue(
  { acceptedAt }: { acceptedAt: Date },
  { integration, now }: { integration: Pick<Integration, "retryForMs"> | null; now: Date },
): boolean {
  return integration !== null && now.getTime() - acceptedAt.getTime() >= integration.retryForMs;
}
