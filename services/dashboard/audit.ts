import type { AuditEntry } from "@posthaste/contracts";
import type { StorePart } from "@posthaste/storage";
import type { Actor } from "./actor.ts";
import type { Principal } from "./session.ts";

/** An audit entry before it is written: what a principal has done. */
export type NewAuditEntry =
  & Pick<AuditEntry, "action" | "target">
  & Partial<Pick<AuditEntry, "details">>;

/** Who has done something: a person, or a actor of a route that programs may ask, too. */
export type Author =
  | Pick<Principal, "accountId" | "user">
  | Pick<Actor, "accountId" | "userId" | "email">;

/** Writes into the account's audit log who has done what. */
export async function audit(
  { audit: { note: noteAudit }, now }: StorePart<"audit.note"> & { now(): Date },
  author: Author,
  entry: NewAuditEntry,
): Promise<void> {
  const { userId, email } = "user" in author
    ? { userId: author.user._id, email: author.user.email }
    : author;
  const { action, target, details = {} } = entry;
  const at = now();
  await noteAudit({
    ...{ accountId: author.accountId, at, userId, userEmail: email },
    action,
    target,
    details,
  });
}
