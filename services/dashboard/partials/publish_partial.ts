import {
  BRAND,
  type Pinned,
  sourceOfVersion,
  type StoredPartial,
  type Template,
} from "@posthaste/contracts";
import { PlanOutdatedError, type TemplateChange } from "@posthaste/storage";
import type { Actor } from "../actor.ts";
import { mapSome } from "../map_some.ts";
import { calledPartials } from "@posthaste/templating";
import type { DashboardDeps } from "../dashboard_deps.ts";
import { HttpError } from "../http_error.ts";
import type { PartialPublished, TouchedTemplate } from "../interface/partials.ts";
import { contentHash } from "../templates/draft_content.ts";
import { type CheckPrints, openCheckPrints } from "../templates/judge_source.ts";
import { compiledBy } from "../templates/publish_draft.ts";
import { contentOf } from "../templates/version_content.ts";
import { compilePublished } from "./compile_published.ts";
import { renderAlone } from "./render_alone.ts";
import { keepAssets, pinsOf } from "../templates/version_pins.ts";

type Deps = Pick<DashboardDeps, "store" | "bus" | "now">;

/** For all templates together: the answer must come before the connection counts as idle. */
const COMPILE_LIMIT_MS = 40_000;
const CONCURRENCY = 4;

/** Lists the templates whose published version has a partial. */
export async function touchedTemplates(
  { accountId, name }: Pick<StoredPartial, "accountId" | "name">,
  { store }: Pick<Deps, "store">,
): Promise<TouchedTemplate[]> {
  const templates = await store.partials.listUsers({ accountId, name });
  const drafts = await Promise.all(
    (["email", "pdf"] as const).map((kind) => store.drafts.list(accountId, kind)),
  );
  const changed = new Set(drafts.flat().filter(({ base }) => base === null).map(({ _id }) => _id));
  return templates.map((template) => shown(template, changed.has(template._id)));
}

/**
 * Publishes the draft of a partial and, with it, all templates that have it.
 *
 * @throws {HttpError} `template_failed` if one of them does not compile with it, `plan_outdated` if one was
 * changed meanwhile, `no_answer`, `unavailable`.
 */
export async function publishPartial(
  partial: StoredPartial,
  actor: Actor,
  deps: Deps,
): Promise<PartialPublished> {
  const { store, now } = deps;
  const { accountId, name, draft } = partial;
  const version = (partial.published?.version ?? 0) + 1;
  const pinned = { name, version, source: draft.source };
  const calls = name === BRAND ? [] : calledPartials(draft.source);
  await requireValid(pinned, accountId, deps);
  const touched = await touchedTemplates(partial, deps);
  const templates = await store.partials.listUsers(partial);
  const until = performance.now() + COMPILE_LIMIT_MS;
  const prints = openCheckPrints();
  const changes = await mapSome(CONCURRENCY, templates, (template) => {
    if (performance.now() > until) {
      throw new HttpError("no_answer", "The templates were not compiled in time. Try again");
    }
    return changeOf(template, { pinned, userId: actor.userId, prints }, deps);
  });
  const done = await store.partials.publish({
    ...{ accountId, name, revision: draft.revision, version, calls, changes, at: now() },
  }).catch((error: unknown) => {
    if (!(error instanceof PlanOutdatedError)) throw error;
    const message = "Cannot publish: the partial or a template was changed meanwhile. Try again";
    throw new HttpError("plan_outdated", message);
  });
  return {
    version,
    templates: done.map(({ kind, id, name, version }) => ({
      ...{ kind, id, name, version },
      hasDraft: touched.some((one) => one.kind === kind && one.id === id && one.hasDraft),
    })),
    warnings: changes.flatMap(({ warnings }) => warnings),
  };
}

/** @throws {HttpError} `template_failed` if a partial cannot be compiled by itself. */
async function requireValid(pinned: Pinned, accountId: string, deps: Deps): Promise<void> {
  const rendering = await renderAlone(pinned.name, { accountId, instead: [pinned] }, deps);
  // Without a template, filling may fail: it has no values.
  if (!rendering.ok && rendering.errors.length > 0) compiledBy(rendering);
}

async function changeOf(
  template: Template,
  { pinned, userId, prints }: { pinned: Pinned; userId: string | null; prints: CheckPrints },
  deps: Deps,
): Promise<TemplateChange & { template: Template; warnings: string[] }> {
  const { accountId, kind, id, alias, name, publishedVersion } = template;
  const [version, draft] = await Promise.all([
    deps.store.templates.findVersion(accountId, kind, id, publishedVersion ?? 0),
    deps.store.drafts.find(template),
  ]);
  if (version === null) throw new Error(`Cannot find version ${publishedVersion} of "${name}"`);
  const source = sourceOfVersion(version, draft?.source.sample);
  const { compiled, warnings } = await compilePublished(
    template,
    { source, instead: [pinned], prints },
    deps,
  );
  await keepAssets(accountId, compiled, deps.store);
  const publication = {
    ...{ variables: source.variables, locale: source.locale, reads: compiled.reads },
    ...{ sourceHash: contentHash(kind, source, compiled), publishedBy: userId },
    ...pinsOf(compiled),
    ...contentOf(source, compiled),
  };
  return { kind, alias, name, template, publication, warnings };
}

function shown(
  { kind, id, name, publishedVersion }: Template,
  hasDraft: boolean,
): TouchedTemplate {
  return { kind, id, name, version: publishedVersion, hasDraft };
}
