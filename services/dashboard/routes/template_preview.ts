import { TEMPLATE_KINDS } from "@posthaste/contracts";
import type { FastifyInstance } from "fastify";
import type { Routing } from "../routing.ts";
import { HttpError } from "../http_error.ts";
import { readInput } from "../read_input.ts";
import { openLatestOnly } from "../templates/latest_only.ts";
import { previewTemplate } from "../templates/preview.ts";
import type { PreviewTurns } from "../templates/preview_turns.ts";
import { previewSchema, sourceFor, TEMPLATE_BODY_LIMIT } from "../templates/template_input.ts";
import type { TemplateAccess } from "../templates/template_access.ts";
import { TEMPLATE_ROUTES } from "../templates/template_routes.ts";
import { templateThumbnail } from "../templates/thumbnail.ts";
import type { TemplatePath } from "./template_routing.ts";

/**
 * Headers of a PDF made from a customer's template: it must not run anything, wherever it is
 * opened.
 */
const PDF_HEADERS = {
  "cache-control": "no-store",
  "content-disposition": 'inline; filename="preview.pdf"',
  "content-security-policy": "sandbox",
  "content-type": "application/pdf",
  "x-content-type-options": "nosniff",
};

/** Only people look at lists: there are no scopes. */
const THUMBNAIL = { config: { role: "texts" } } as const;

/** Adds the routes of previews of templates, saved or not. */
export function templatePreviewRoutes(
  app: FastifyInstance,
  { deps, issued }: Routing,
  { access, inTurn }: { access: TemplateAccess; inTurn: PreviewTurns },
): void {
  const latestOnly = openLatestOnly(() =>
    new HttpError("conflict", "A newer preview was requested")
  );

  for (const kind of TEMPLATE_KINDS) {
    const path = `/api/templates/${kind}/preview`;
    const { config } = TEMPLATE_ROUTES.texts;
    const whole = { config: { ...config, isHeavy: true }, bodyLimit: TEMPLATE_BODY_LIMIT } as const;
    app.post(path, whole, ({ actor, body }) => {
      const { editor, source: given, locale } = readInput(previewSchema, body);
      const source = sourceFor(kind, given);
      const { accountId, id } = actor;
      const show = () => previewTemplate({ accountId, kind, source, locale }, { ...deps, issued });
      return latestOnly(`${id} ${editor}`, (replaced) => inTurn(accountId, show, replaced));
    });

    app.get<TemplatePath>(
      `/api/templates/${kind}/:id/thumbnail`,
      THUMBNAIL,
      async ({ actor, params }) => {
        const template = await access.find(actor, kind, params.id);
        return await inTurn(actor.accountId, () => templateThumbnail(template, deps));
      },
    );
  }

  app.get<{ Params: { key: string } }>(
    "/api/templates/pdf/preview/:key",
    TEMPLATE_ROUTES.texts,
    async ({ actor, params: { key } }, reply) => {
      const bytes = issued.has(actor.accountId, key)
        ? await deps.bus.objects("pdfs").get(key)
        : undefined;
      if (bytes === undefined) {
        throw new HttpError("not_found", "This preview has expired. Create it again");
      }
      return reply.headers(PDF_HEADERS).send(Buffer.from(bytes));
    },
  );
}
