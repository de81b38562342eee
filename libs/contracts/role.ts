/**
 * The roles of members of an account. Each includes the rights of those before it, but for changing texts,
 * which viewers may not.
 */
export const ROLES = ["texts", "viewer", "editor", "owner"] as const;

/** A role of a member: to change texts of templates only, to look, to change templates and the like, or everything. */
export type Role = (typeof ROLES)[number];

/** Returns whether a role includes the rights of another. */
export function includesRole(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}
