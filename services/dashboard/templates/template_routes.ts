import { TEMPLATE_BODY_LIMIT } from "./template_input.ts";

/** What reads templates, and what changes them: for people by their role, for tokens by the scope. */
export const TEMPLATE_ROUTES = {
  viewer: { config: { role: "viewer", scopes: ["manage:templates"] } },
  editor: {
    config: { role: "editor", scopes: ["manage:templates"] },
    bodyLimit: TEMPLATE_BODY_LIMIT,
  },
} as const;
