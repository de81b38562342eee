import { type Template, TEMPLATE_KINDS } from "@posthaste/contracts";
import { templateIdOf } from "@posthaste/storage";
import { HELPERS } from "@posthaste/templating";
import type { FastifyInstance } from "fastify";
import type { Routing } from "../routing.ts";
import type { ExampleRow, HelperRow } from "../interface/templates.ts";
import { requireFreeName } from "../free_name.ts";
import { HttpError } from "../http_error.ts";
import { QUOTAS, requireQuota } from "../quotas.ts";
import { readInput } from "../read_input.ts";
import { sameVersion } from "../templates/same_version.ts";
import { EXAMPLES } from "../templates/examples.ts";
import { emptySource, openDraft } from "../templates/open_draft.ts";
import { changedMeanwhile } from "../templates/publish_draft.ts";
import { openTemplateAccess, unlessTaken } from "../templates/template_access.ts";
import {
  copySchema,
  draftChangeSchema,
  newTemplateSchema,
  renamingSchema,
  sourceFor,
} from "../templates/template_input.ts";
import { TEMPLATE_ROUTES } from "../templates/template_routes.ts";
import { changesTextsOnly, requireTextChange, shownTo } from "../templates/text_changes.ts";
import { templateRows } from "../templates/template_view.ts";
import { mayUseTemplate, requireUnlimited } from "../token_limits.ts";
import { openPreviewTurns } from "../templates/preview_turns.ts";
import { templatePreviewRoutes } from "./template_preview.ts";
import { templateTextRoutes } from "./template_texts.ts";
import { templateVersionRoutes } from "./template_versions.ts";
import type { TemplatePath, TemplateRouting } from "./template_routing.ts";

const HELPER_ROWS: readonly HelperRow[] = HELPERS.map(
  ({ name, kind, signature, summary, example }) => ({
    ...{ name, kind, signature, summary },
    example: example.template,
  }),
);

/** Adds the routes of both kinds of templates: drafts, versions and previews. */
export function templateRoutes(app: FastifyInstance, routing: Routing): void {
  const access = openTemplateAccess(routing.deps);
  for (const kind of TEMPLATE_KINDS) {
    headRoutes(app, { kind, access, routing });
    templateVersionRoutes(app, { kind, access, routing });
  }
  const inTurn = openPreviewTurns();
  templatePreviewRoutes(app, routing, { access, inTurn });
  templateTextRoutes(app, routing, inTurn);
}

function headRoutes(app: FastifyInstance, { kind, access, routing }: TemplateRouting): void {
  const { deps: { store, now }, options } = routing;
  const path = `/api/templates/${kind}`;
  const { texts, viewer, editor, textEditor } = TEMPLATE_ROUTES;

  app.get(path, texts, async ({ actor }) => {
    const rows = await templateRows(actor.accountId, kind, access);
    return rows.filter(({ id }) => mayUseTemplate(actor, { kind, id }));
  });

  app.get(
    `${path}/examples`,
    viewer,
    (): ExampleRow[] => EXAMPLES[kind].map(({ id, name, about }) => ({ id, name, about })),
  );

  app.get(`${path}/helpers`, viewer, () => HELPER_ROWS);

  app.get<TemplatePath>(
    `${path}/:id`,
    texts,
    async ({ actor, params }) =>
      shownTo(actor, await access.view(await access.find(actor, kind, params.id))),
  );

  /** Returns the templates of the kind, if there may be one more. */
  async function requireQuotaFor(accountId: string): Promise<Template[]> {
    const { templates } = options.quotas ?? QUOTAS;
    const [emails, pdfs] = await Promise.all([
      store.templates.list(accountId, "email"),
      store.templates.list(accountId, "pdf"),
    ]);
    const full = `The account has ${templates} templates, the maximum. Archive some first`;
    requireQuota(emails.length + pdfs.length, templates, full);
    return kind === "email" ? emails : pdfs;
  }

  app.post(path, editor, async ({ actor, body }) => {
    const { name, alias, example: wanted } = readInput(newTemplateSchema, body);
    const example = EXAMPLES[kind].find(({ id }) => id === (wanted ?? "empty"));
    if (example === undefined) throw new HttpError("not_found", `There is no example "${wanted}"`);
    const { accountId, userId } = actor;
    requireUnlimited(actor, "templates");
    const others = await requireQuotaFor(accountId);
    // With an alias, the alias decides.
    if (!alias) requireFreeName(actor, name, { kind: "template", others });
    const template = await unlessTaken(store.templates.create({ accountId, kind, name, alias }));
    const source = { ...emptySource(kind), ...example.source };
    await store.drafts.create({ ...ownOf(template), source, updatedAt: now(), updatedBy: userId });
    await access.note(actor, "created", { template });
    return access.view(template);
  });

  // Not in the audit log: an editor saves while its author types. Publishing is.
  app.put<TemplatePath>(`${path}/:id/draft`, textEditor, async ({ actor, params, body }) => {
    const change = readInput(draftChangeSchema, body);
    const template = await access.find(actor, kind, params.id);
    const draft = await access.draftAt(template, change.revision);
    const source = sourceFor(kind, change.source);
    if (changesTextsOnly(actor)) requireTextChange(draft.source, source);
    const base = await sameVersion(template, source, store);
    const updated = { updatedAt: now(), updatedBy: actor.userId };
    const changed = await store.drafts.change({ ...draft, ...updated, source, base });
    if (changed === null) throw changedMeanwhile();
    return shownTo(actor, await access.view(template));
  });

  app.patch<TemplatePath>(`${path}/:id`, editor, async ({ actor, params, body }) => {
    const { name, alias } = readInput(renamingSchema, body);
    const template = await access.find(actor, kind, params.id);
    const changes = {
      ...(name === undefined ? {} : { name }),
      ...(alias === undefined ? {} : { alias }),
    };
    const changed = await unlessTaken(store.templates.update(template, changes));
    if (changed === null) throw new HttpError("not_found", `There is no template ${params.id}`);
    await access.note(actor, "renamed", { template, details: changes });
    return access.view(template);
  });

  app.post<TemplatePath>(`${path}/:id/duplicate`, editor, async ({ actor, params, body }) => {
    const { name } = readInput(copySchema, body);
    const original = await access.find(actor, kind, params.id);
    const { source } = await openDraft(original, store);
    const { accountId, userId } = actor;
    requireUnlimited(actor, "templates");
    const others = await requireQuotaFor(accountId);
    requireFreeName(actor, name, { kind: "template", others });
    const template = await store.templates.create({ accountId, kind, name });
    await store.drafts.create({ ...ownOf(template), source, updatedAt: now(), updatedBy: userId });
    await access.note(actor, "duplicated", { template, details: { from: original.id } });
    return access.view(template);
  });

  app.delete<TemplatePath>(`${path}/:id`, editor, async ({ actor, params }) => {
    const template = await access.find(actor, kind, params.id);
    await store.templates.archive(template, now());
    await access.note(actor, "archived", { template });
    return {};
  });
}

function ownOf({ accountId, kind, id }: Template) {
  return { _id: templateIdOf(accountId, kind, id), accountId, kind, base: null };
}
