import type { Role } from "@posthaste/contracts";

/** How roles are called. */
export const ROLE_NAMES: Readonly<Record<Role, string>> = {
  texts: "texts only",
  viewer: "viewer",
  editor: "editor",
  owner: "owner",
};
