import { BRAND, MAX_PARTIALS, partialNameSchema, type StoredPartial } from "@posthaste/contracts";
import { PlanOutdatedError } from "@posthaste/storage";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { Actor } from "../actor.ts";
import { audit } from "../audit.ts";
import { HttpError } from "../http_error.ts";
import type { PartialRow, PartialView } from "../interface/partials.ts";
import {
  brandSchema,
  partialChangeSchema,
  partialPreviewSchema,
} from "../partials/partial_input.ts";
import { previewPartial } from "../partials/preview_partial.ts";
import { publishPartial, touchedTemplates } from "../partials/publish_partial.ts";
import { requireQuota } from "../quotas.ts";
import { readInput } from "../read_input.ts";
import type { Routing } from "../routing.ts";
import { revisionSchema } from "../templates/template_input.ts";
import { TEMPLATE_ROUTES } from "../templates/template_routes.ts";
import { requireUnlimited } from "../token_limits.ts";

type PartialPath = { Params: { partial: string } };

const nameSchema = z.union([partialNameSchema, z.literal(BRAND)]);

/** Adds the routes of partials and the brand. */
export function partialRoutes(app: FastifyInstance, { deps, issued }: Routing): void {
  const { store, now } = deps;
  const { texts, viewer, editor } = TEMPLATE_ROUTES;
  const path = "/api/partials";

  async function find(actor: Actor, name: string): Promise<StoredPartial> {
    requireUnlimited(actor, "templates");
    const found = nameSchema.safeParse(name).success
      ? await store.partials.find({ accountId: actor.accountId, name })
      : null;
    if (found === null) throw new HttpError("not_found", `There is no partial "${name}"`);
    return found;
  }

  app.get(path, viewer, async ({ actor }) => {
    requireUnlimited(actor, "templates");
    return (await store.partials.list(actor.accountId)).map(rowOf);
  });

  app.get<PartialPath>(
    `${path}/:partial`,
    viewer,
    async ({ actor, params }) => viewOf(await find(actor, params.partial)),
  );

  // Not in the audit log, as drafts of templates. Publishing is.
  app.put<PartialPath>(`${path}/:partial/draft`, editor, async ({ actor, params, body }) => {
    requireUnlimited(actor, "templates");
    const { partial: name } = readInput(z.object({ partial: nameSchema }), params);
    const { revision, source } = readInput(partialChangeSchema, body);
    if (name === BRAND) readInput(brandSchema, { source });
    const { accountId, userId } = actor;
    if (revision === 0) {
      const full = `The account has ${MAX_PARTIALS} partials, the maximum`;
      requireQuota((await store.partials.list(accountId)).length, MAX_PARTIALS, full);
    }
    const edit = { accountId, name, revision, source, updatedAt: now(), updatedBy: userId };
    const changed = await store.partials.change(edit);
    if (changed === null) throw new HttpError("conflict", "Someone else changed the partial");
    return viewOf(changed);
  });

  const { config } = TEMPLATE_ROUTES.viewer;
  app.post<PartialPath>(
    `${path}/:partial/preview`,
    { config: { ...config, isHeavy: true } },
    async ({ actor, params, body }) => {
      requireUnlimited(actor, "templates");
      const { partial: name } = readInput(z.object({ partial: nameSchema }), params);
      const wish = readInput(partialPreviewSchema, body);
      if (name === BRAND) readInput(brandSchema, { source: wish.source });
      return await previewPartial({ ...wish, accountId: actor.accountId, name }, {
        ...deps,
        issued,
      });
    },
  );

  app.get<PartialPath>(
    `${path}/:partial/templates`,
    texts,
    async ({ actor, params }) => await touchedTemplates(await find(actor, params.partial), deps),
  );

  app.post<PartialPath>(`${path}/:partial/publish`, editor, async ({ actor, params, body }) => {
    const { revision } = readInput(revisionSchema, body);
    const partial = await find(actor, params.partial);
    if (partial.draft.revision !== revision) {
      throw new HttpError("conflict", "Someone else changed the partial");
    }
    const published = await publishPartial(partial, actor, deps);
    const { version, templates } = published;
    const target = targetOf(partial);
    const details = { version, templates: templates.length };
    await audit({ ...store, now }, actor, { action: "partial.published", target, details });
    for (const { kind, id, name, version } of templates) {
      await audit({ ...store, now }, actor, {
        action: "template.published",
        target: `${kind === "pdf" ? "PDF" : kind} template ${id} (${name})`,
        details: { version, by: target },
      });
    }
    return published;
  });

  app.delete<PartialPath>(`${path}/:partial`, editor, async ({ actor, params }) => {
    const partial = await find(actor, params.partial);
    const [templates, callers] = await Promise.all([
      store.partials.listUsers(partial),
      store.partials.listCallers(partial),
    ]);
    const users = [...templates.map(({ kind, id }) => `${kind}/${id}`), ...callers];
    if (users.length > 0) {
      const issues = users.map((user) => ({ path: user, message: "includes it" }));
      throw new HttpError("conflict", "Cannot remove the partial: it is in use", { issues });
    }
    await store.partials.remove(partial).catch((error: unknown) => {
      if (!(error instanceof PlanOutdatedError)) throw error;
      throw new HttpError("conflict", "Cannot remove the partial: it is in use now");
    });
    const target = targetOf(partial);
    await audit({ ...store, now }, actor, { action: "partial.removed", target });
    return {};
  });
}

function targetOf({ name }: StoredPartial): string {
  return name === BRAND ? "brand" : `partial "${name}"`;
}

function rowOf({ name, draft, published }: StoredPartial): PartialRow {
  const { revision, updatedAt } = draft;
  const publishedVersion = published?.version ?? null;
  const hasChanges = published?.revision !== revision;
  return { name, revision, publishedVersion, hasChanges, updatedAt: updatedAt.toISOString() };
}

function viewOf(partial: StoredPartial): PartialView {
  const { draft: { source }, published } = partial;
  return { ...rowOf(partial), source, publishedSource: published?.source ?? null };
}
