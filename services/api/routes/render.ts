import type { FastifyInstance } from "fastify";
import { requireScope } from "../authenticate.ts";
import {
  MAX_VARIABLES_BYTES,
  renderTemplate,
  type RenderTemplateDeps,
} from "../render_template.ts";

/** Adds `POST /templates/{templateId}/render` (docs/interface.md, section 4.1). */
export function renderRoute(
  app: FastifyInstance,
  deps: Omit<RenderTemplateDeps, "store">,
): void {
  app.post<{ Params: { templateId: string } }>(
    "/templates/:templateId/render",
    {
      onRequest: requireScope("render"),
      bodyLimit: Math.min(app.initialConfig.bodyLimit ?? Infinity, MAX_VARIABLES_BYTES),
    },
    ({ caller, params: { templateId }, query, body, store }) =>
      renderTemplate({ accountId: caller.accountId, limits: caller, templateId, query, body }, {
        ...deps,
        store,
        render: (data, options) => store.keepBody(deps.render(data, options)),
      }),
  );
}
