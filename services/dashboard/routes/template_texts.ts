import { sourceInLocale, TEMPLATE_KINDS } from "@posthaste/contracts";
import type { FastifyInstance } from "fastify";
import { HttpError } from "../http_error.ts";
import { readInput } from "../read_input.ts";
import type { Routing } from "../routing.ts";
import { openLatestOnly } from "../templates/latest_only.ts";
import { markedPreview } from "../templates/marked_preview.ts";
import type { PreviewTurns } from "../templates/preview_turns.ts";
import { previewSchema, sourceFor, TEMPLATE_BODY_LIMIT } from "../templates/template_input.ts";

/** Adds the routes for editing texts in the preview of templates. */
export function templateTextRoutes(
  app: FastifyInstance,
  { deps, issued }: Routing,
  inTurn: PreviewTurns,
): void {
  const latestOnly = openLatestOnly(() =>
    new HttpError("conflict", "A newer preview was requested")
  );
  for (const kind of TEMPLATE_KINDS) {
    const options = {
      config: { role: "editor", isForTexts: true },
      bodyLimit: TEMPLATE_BODY_LIMIT,
    } as const;
    app.post(`/api/templates/${kind}/preview/texts`, options, ({ actor, body }) => {
      const { editor, source: given, locale } = readInput(previewSchema, body);
      const { accountId, id } = actor;
      const wish = { accountId, kind, source: sourceInLocale(sourceFor(kind, given), locale) };
      const show = () => markedPreview(wish, { ...deps, issued });
      return latestOnly(`${id} ${editor}`, (replaced) => inTurn(accountId, show, replaced));
    });
  }
}
