import type { AuditEntry } from "@posthaste/contracts";
import type { StorePart } from "@posthaste/storage";
import type { Principal } from "./session.ts";

/** An audit entry before it is written: what a principal has done. */
export type NewAuditEntry =
  & Pick<AuditEntry, "action" | "target">
  & Partial<Pick<AuditEntry, "details">>;

/** Writes into the account's audit log who has done what. */
export async function audit(
  { audit: { note: noteAudit }, now }: StorePart<"audit.note"> & { now(): Date },
  { accountId, user }: Pick<Principal, "accountId" | "user">,
  entry: NewAuditEntry,
): Promise<void> {
  const { action, target, details = {} } = entry;
  const at = now();
  await noteAudit({
    accountId,
    at,
    userId: user._id,
    userEmail: user.email,
    action,
    target,
    details,
  });
}
