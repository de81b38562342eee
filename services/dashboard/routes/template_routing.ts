import type { TemplateKind } from "@posthaste/contracts";
import type { TemplateAccess } from "../templates/template_access.ts";
import type { Routing } from "../routing.ts";

/** What the path of a template says. */
export interface TemplatePath {
  Params: { id: string };
}

/** What the routes of one kind of templates are made with. */
export interface TemplateRouting {
  kind: TemplateKind;
  access: TemplateAccess;
  routing: Routing;
}
