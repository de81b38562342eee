import type { AuditEntry } from "@posthaste/contracts";
import type { StorePart } from "@posthaste/storage";
import type { Actor } from "./actor.ts";
import type { Principal } from "./session.ts";

/** An audit entry before it is written: the action of a principal. */
export type NewAuditEntry =
  & Pick<AuditEntry, "action" | "target">
  & Partial<Pick<AuditEntry, "details">>;

/** The author of an action: a person, or an actor of a route that programs may use, too. */
export type Author =
  | Pick<Principal, "accountId" | "user">
  | Pick<Actor, "accountId" | "userId" | "email">;

/** Writes an action and its author into the account's audit log. */
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
