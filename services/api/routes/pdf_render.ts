import type { FastifyInstance } from "fastify";
import { requireScope } from "../authenticate.ts";
import { renderPdf, type RenderPdfDeps } from "../render_pdf.ts";
import { MAX_VARIABLES_BYTES } from "../render_template.ts";
import { sendFile } from "../send_file.ts";

/** Adds `POST /pdf-templates/{id}/render`: returns a PDF template, filled and printed. */
export function pdfRenderRoute(app: FastifyInstance, deps: Omit<RenderPdfDeps, "store">): void {
  app.post<{ Params: { id: string } }>(
    "/pdf-templates/:id/render",
    {
      onRequest: requireScope("render"),
      bodyLimit: Math.min(app.initialConfig.bodyLimit ?? Infinity, MAX_VARIABLES_BYTES),
    },
    async ({ caller: { accountId }, params: { id: templateId }, query, body, store }, reply) => {
      const printing = renderPdf({ accountId, templateId, query, body }, { ...deps, store });
      const pdf = await store.keepBody(printing);
      return sendFile({ ...pdf, contentType: "application/pdf" }, reply);
    },
  );
}
