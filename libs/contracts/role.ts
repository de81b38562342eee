/** The roles of members of an account. Each includes the rights of those before it. */
export const ROLES = ["viewer", "editor", "owner"] as const;

/** A role of a member: to look, to change templates and the like, or everything. */
export type Role = (typeof ROLES)[number];

/** Returns whether a role includes the rights of another. */
export function includesRole(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}
