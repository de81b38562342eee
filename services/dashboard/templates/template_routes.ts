import { TEMPLATE_BODY_LIMIT } from "./template_input.ts";

/** Rights for reading and for changing templates: for people by role, for tokens by scope. */
export const TEMPLATE_ROUTES = {
  /** What the editing of texts needs, too. */
  texts: { config: { role: "texts", scopes: ["manage:templates"] } },
  viewer: { config: { role: "viewer", scopes: ["manage:templates"] } },
  editor: {
    config: { role: "editor", scopes: ["manage:templates"] },
    bodyLimit: TEMPLATE_BODY_LIMIT,
  },
  /** For people who change texts only, too: the route checks what they change. */
  textEditor: {
    config: { role: "editor", isForTexts: true, scopes: ["manage:templates"] },
    bodyLimit: TEMPLATE_BODY_LIMIT,
  },
} as const;
