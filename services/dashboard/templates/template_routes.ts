import { TEMPLATE_BODY_LIMIT } from "./template_input.ts";

/** Rights for reading and for changing templates: for people by role, for tokens by scope. */
export const TEMPLATE_ROUTES = {
  viewer: { config: { role: "viewer", scopes: ["manage:templates"] } },
  editor: {
    config: { role: "editor", scopes: ["manage:templates"] },
    bodyLimit: TEMPLATE_BODY_LIMIT,
  },
} as const;
