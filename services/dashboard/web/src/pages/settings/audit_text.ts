import type { AuditLine } from "../../../../interface/people.ts";

/** Texts of actions whose reversed name does not describe the action. */
const AUDIT_TEXTS: Readonly<Record<string, string>> = {
  "member.invited": "invited",
  "member.removed": "removed",
  "member.role_changed": "changed the role of",
  "invitation.accepted": "accepted the",
  "integration.connected": "connected the mailbox of the",
  "integration.repointed": "changed the server of the",
  "invitation.taken_back": "revoked the invitation of",
  "member.left": "left the account:",
  "second_factor.added": "added a second factor:",
  "second_factor.removed": "removed a second factor:",
  "second_factor.required": "required a second factor in the",
  "second_factor.left_open": "made the second factor optional in the",
  "recovery_codes.made": "created new recovery codes for",
  "password.reset": "reset the password by mail, as",
  "password.changed": "changed the password of",
  "person.address_proven": "verified the address",
  "person.address_changed": "changed the email address of",
  "person.removed": "closed their own login:",
  "person.renamed": "changed the name of",
  "retention.changed": "changed the",
  "language.changed": "changed the",
  "suppression.changed": "changed the",
  "suppression.added": "added addresses to the",
  "suppression.imported": "imported addresses into the",
  "suppression.exported": "downloaded the",
  "suppression.removed": "removed addresses from the",
  "session.began": "signed in as",
  "session.refused": "failed to sign in as",
  "webhook.secret_rotated": "rotated the secret of the",
  "webhook.replayed": "posted events again to the",
  "asset.described": "changed the description of the",
  "asset.stored": "stored the",
  "asset.removed": "removed the",
  "partial.changed": "changed the",
  "partial.published": "published the",
  "partial.removed": "removed the",
  "token.rolled": "rolled a token into the new",
  "message.read": "read the contents of",
  "message.exported": "downloaded the addresses of",
  "send.to_suppressed": "sent to suppressed addresses by the",
  "recipient.forgotten": "removed the data of",
  "audit.exported": "downloaded the",
  "sessions.ended": "signed out everywhere:",
};

/** Returns an action as words that its target follows: `token.created` is `created`. */
export function auditText(action: string): string {
  const verb = action.split(".").slice(1).join(" ").replaceAll("_", " ");
  return AUDIT_TEXTS[action] ?? (verb === "" ? action : verb);
}

/** Formats the details of an audit entry on one line: `viewer → owner`, `scopes: send`. */
export function detailText(details: AuditLine["details"]): string {
  const { from, to, ...rest } = details;
  const change = to === undefined ? [] : [`${from ?? "none"} → ${to ?? "none"}`];
  const others = Object.entries(rest).filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}: ${value}`);
  return [...change, ...others].join("; ");
}
