import { sourceInLocale, sourceOfVersion } from "@posthaste/contracts";
import type { FastifyInstance } from "fastify";
import type { TemplatePublished, VersionRow, VersionView } from "../interface/templates.ts";
import { HttpError } from "../http_error.ts";
import { readInput } from "../read_input.ts";
import { askRenderer } from "../templates/ask_renderer.ts";
import {
  compiledBy,
  publishDraft,
  requirePublishable,
  resetDraft,
  rollBack,
  sameAsPublished,
} from "../templates/publish_draft.ts";
import { declareRequired } from "../templates/declare_required.ts";
import { openCheckPrints } from "../templates/judge_source.ts";
import { sendMail } from "../send_mail.ts";
import { checkTest } from "../templates/test_mail.ts";
import { revisionSchema, testSchema, versionSchema } from "../templates/template_input.ts";
import { versionRows } from "../templates/template_view.ts";
import { requireIntegration, requireTemplate } from "../token_limits.ts";
import { TEMPLATE_ROUTES } from "../templates/template_routes.ts";
import type { TemplatePath, TemplateRouting } from "./template_routing.ts";

const LISTED = 500;
const COMPILE_LIMIT_MS = 11_000;

/** Adds the routes of a template's versions: publishing, testing and rolling back. */
export function templateVersionRoutes(
  app: FastifyInstance,
  { kind, access, routing: { deps } }: TemplateRouting,
): void {
  const { store, now } = deps;
  const path = `/api/templates/${kind}/:id`;
  const { viewer, editor } = TEMPLATE_ROUTES;
  // A test is a mail: a token needs the right to send.
  const scopes = ["manage:templates", "send"] as const;
  const sender = { ...editor, config: { ...editor.config, scopes } };

  app.get<TemplatePath>(`${path}/versions`, viewer, async ({ actor, params }) => {
    const template = await access.find(actor, kind, params.id);
    const versions = await store.templates.listVersions(template, { limit: LISTED });
    return await versionRows(template, versions, store) satisfies VersionRow[];
  });

  app.get<{ Params: { id: string; version: string } }>(
    `${path}/versions/:version`,
    viewer,
    async ({ actor, params }): Promise<VersionView> => {
      const template = await access.find(actor, kind, params.id);
      const number = /^[1-9]\d{0,9}$/.test(params.version) ? Number(params.version) : 0;
      const version = await store.templates.findVersion(actor.accountId, kind, template.id, number);
      const [row] = version === null ? [] : await versionRows(template, [version], store);
      if (version === null || row === undefined) {
        throw new HttpError("not_found", `There is no version ${params.version}`);
      }
      return { ...row, source: sourceOfVersion(version) };
    },
  );

  app.post<TemplatePath>(`${path}/publish`, editor, async ({ actor, params, body }) => {
    const { revision } = readInput(revisionSchema, body);
    const { accountId, userId } = actor;
    const template = await access.find(actor, kind, params.id);
    const draft = await access.draftAt(template, revision);
    const wish = { accountId, kind, source: draft.source, compiled: true };
    const rendering = await askRenderer({ ...wish, timeoutMs: COMPILE_LIMIT_MS }, deps);
    const compiled = compiledBy(rendering);
    // A published version stays valid, even if rules were added since.
    const published = await sameAsPublished({ template, draft, compiled }, store);
    let warnings: string[] = [];
    if (published === null) {
      const rendered = { accountId, kind, source: draft.source, rendering };
      const prints = openCheckPrints();
      warnings = await requirePublishable(rendered, { bus: deps.bus, prints });
    }
    const options = { store, userId };
    const declared = await declareRequired({ template, draft, rendering }, store);
    const { version } = await publishDraft({ template, draft: declared, compiled }, options);
    if (version !== template.publishedVersion) {
      await access.note(actor, "published", { template, details: { version } });
    }
    const view = await access.view(template);
    return { ...view, warnings } satisfies TemplatePublished;
  });

  app.post<TemplatePath>(`${path}/roll-back`, editor, async ({ actor, params, body }) => {
    const wanted = readInput(versionSchema, body);
    const template = await access.find(actor, kind, params.id);
    const options = { store, userId: actor.userId };
    const { version } = await rollBack(template, wanted.version, options);
    const details = { version: version.version, from: wanted.version };
    await access.note(actor, "rolled_back", { template, details });
    return access.view(template);
  });

  app.post<TemplatePath>(`${path}/discard`, editor, async ({ actor, params, body }) => {
    const { revision } = readInput(revisionSchema, body);
    const { accountId, userId } = actor;
    const template = await access.find(actor, kind, params.id);
    const draft = await access.draftAt(template, revision);
    const { publishedVersion } = template;
    const version = publishedVersion === null
      ? null
      : await store.templates.findVersion(accountId, kind, template.id, publishedVersion);
    if (version === null) throw new HttpError("invalid_request", "Nothing is published yet");
    await resetDraft(draft, version, { store, userId, now });
    await access.note(actor, "discarded", { template });
    return access.view(template);
  });

  if (kind === "pdf") return;

  app.post<TemplatePath>(`${path}/test`, sender, async ({ actor, params, body }) => {
    const request = readInput(testSchema, body);
    const { accountId, userId } = actor;
    const { revision, variables, sender, to, locale } = request;
    const template = await access.find(actor, kind, params.id);
    const draft = await access.draftAt(template, revision);
    const source = sourceInLocale(draft.source, locale);
    requireIntegration(actor, request.integrationId);
    for (const id of request.attachments ?? []) requireTemplate(actor, { kind: "pdf", id });
    const parts = await checkTest(accountId, { request, source }, store);
    const wish = { accountId, kind, source, variables, compiled: true };
    const rendering = await askRenderer({ ...wish, timeoutMs: COMPILE_LIMIT_MS }, deps);
    const compiled = compiledBy(rendering);
    const options = { store, userId, isTest: true };
    // Languages that are not finished yet must not prevent a test of another one.
    const email = await publishDraft({ template, draft: { ...draft, source }, compiled }, options);
    if (email.kind !== "email") throw new Error("Cannot send a PDF template as a message");
    const sent = await sendMail({ ...parts, email, sender, to, variables, locale }, deps);
    const details = { version: email.version, to, sendId: sent.sendId };
    await access.note(actor, "tested", { template, details });
    return sent;
  });
}
