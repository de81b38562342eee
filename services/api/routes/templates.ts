import { hash } from "node:crypto";
import type { TemplateKind, TemplateSummary } from "@posthaste/contracts";
import { HttpError } from "../http_error.ts";
import type { PublishedTemplate } from "@posthaste/storage";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { requireScope, requireUse } from "../authenticate.ts";
import { isIdOrAlias } from "../path_ids.ts";
import { listReader, pageOf } from "../read_list.ts";
import { sendUnlessKnown } from "@posthaste/http";
import { variablesSchemaOf } from "../variables_schema.ts";

const PATHS = { email: "/templates", pdf: "/pdf-templates" } as const;
const NAMES = { email: "email template", pdf: "PDF template" } as const;

/**
 * Adds `GET /templates`, `GET /templates/{id}` and, for PDF templates, the same below
 * `/pdf-templates`: they list what can be rendered and sent.
 */
export function templatesRoute(app: FastifyInstance, kind: TemplateKind): void {
  const options = { onRequest: requireScope("read") };
  const read = listReader(`${NAMES[kind]}s`, {});
  app.get(PATHS[kind], options, async ({ caller, query, store }) => {
    const request = read(caller.accountId, query);
    const { limit, after } = request;
    const found = await store.listPublishedTemplates(caller.accountId, kind, {
      ...{ limit: limit + 1, after: Number(after ?? 0) },
      ...(kind === "email" ? { only: caller.templates } : {}),
    });
    return pageOf(found.map(summaryOf), request, ({ id }) => String(id));
  });
  app.get<{ Params: { id: string } }>(
    `${PATHS[kind]}/:id`,
    options,
    async (request) => summaryOf(await findTemplate(request, kind)),
  );
  app.get<{ Params: { id: string } }>(
    `${PATHS[kind]}/:id/schema`,
    options,
    async (request, reply) => {
      const template = await findTemplate(request, kind);
      const { id, alias, name, version, variables, reads } = template;
      const text = JSON.stringify(variablesSchemaOf({ title: alias ?? name, variables, reads }));
      // A migration may record what an old version reads.
      const etag = `"${kind}-${id}-${version}-${hash("sha256", text, "base64url").slice(0, 11)}"`;
      reply.type("application/schema+json; charset=utf-8");
      return sendUnlessKnown(text, { request, reply, etag });
    },
  );
}

/**
 * Finds the published template that a path names, if the token may use it.
 *
 * @throws {HttpError} `unknown_template` or `unknown_pdf_template` as 404, `missing_scope`
 */
export async function findTemplate(
  { caller, params: { id }, store }: FastifyRequest<{ Params: { id: string } }>,
  kind: TemplateKind,
): Promise<PublishedTemplate> {
  const found = isIdOrAlias(id)
    ? await store.findPublishedTemplate(caller.accountId, kind, id)
    : null;
  if (found === null) throw unknownTemplate(kind, id);
  if (kind === "email") requireUse(caller, { templateId: found.id });
  return found;
}

function unknownTemplate(kind: TemplateKind, id: string): HttpError {
  const code = kind === "email" ? "unknown_template" : "unknown_pdf_template";
  const sentence = `Cannot show the ${NAMES[kind]}: there is none "${id}" that is published`;
  return new HttpError(code, sentence, { status: 404 });
}

function summaryOf(template: PublishedTemplate): TemplateSummary {
  const { id, alias, name, version, publishedAt, locale, variants, variables } = template;
  return {
    ...{ id, alias, name, version, publishedAt: publishedAt.toISOString(), locale, variants },
    variables: variables.map((variable) => ({
      name: variable.name,
      required: variable.required,
      default: variable.default ?? null,
      description: variable.description ?? null,
    })),
  };
}
