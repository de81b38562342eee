/** What a member of an account may do; each may do what those before it may. */
export const ROLES = ["viewer", "editor", "owner"] as const;

/** What a member of an account may do: look, change what mail is made of, or everything. */
export type Role = (typeof ROLES)[number];

/** Returns whether a role includes what another may do. */
export function includesRole(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}
