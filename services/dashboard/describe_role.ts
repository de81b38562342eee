import type { Role } from "@posthaste/contracts";

const SAID: Readonly<Record<Role, string>> = {
  texts: "a member who changes texts only",
  viewer: "a viewer",
  editor: "an editor",
  owner: "an owner",
};

/** Returns what a person with a role is, for sentences: `an editor`. */
export function describeRole(role: Role): string {
  return SAID[role];
}
