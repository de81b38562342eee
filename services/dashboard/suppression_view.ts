import type { ListedSuppression } from "@posthaste/storage";
import type { SuppressionView } from "./interface/suppressions.ts";

/** Returns an entry of the suppression list as pages show it. */
export function suppressionViewOf(entry: ListedSuppression): SuppressionView {
  const { email, reason, reply, messageId, at, expiresAt } = entry;
  const codes = [reply?.code, reply?.enhanced].filter((part) => part !== undefined).join(" ");
  return {
    ...{ email, reason, reply: codes === "" ? null : codes, messageId: messageId ?? null },
    ...{ addedAt: at.toISOString(), expiresAt: expiresAt?.toISOString() ?? null },
  };
}
