import {
  type Bundle,
  MAX_ASSETS,
  MAX_BUNDLE_TEMPLATES,
  TEMPLATE_KINDS,
  type TemplateKind,
} from "@posthaste/contracts";
import { partialFilesOf } from "@posthaste/bundle";
import type { StorePart } from "@posthaste/storage";
import type { Actor } from "../actor.ts";
import { HttpError } from "../http_error.ts";
import { isUnlimited, mayUseTemplate } from "../token_limits.ts";
import { openBundleBudget } from "./bundle_budget.ts";
import { mapSome } from "../map_some.ts";
import { filesOfState, loadState, shownSource } from "./template_state.ts";

/** Which templates to export; by default all. */
export interface BundleFilter {
  kind?: TemplateKind | undefined;
  alias?: string | undefined;
}

const CONCURRENCY = 8;

/**
 * Writes the templates of an account as files: the published version, or the draft if files have
 * changed it since. Unpublished changes by people are left out.
 *
 * @throws {HttpError} `alias_missing`, with the ids of templates whose folder would have no name;
 * `payload_too_large`
 */
export async function exportBundle(
  actor: Actor,
  { kind, alias }: BundleFilter,
  store: StorePart<
    | "assets.listNames"
    | "drafts.find"
    | "partials.find"
    | "partials.list"
    | "templates.findVersion"
    | "templates.list"
  >,
): Promise<Bundle> {
  const kinds = TEMPLATE_KINDS.filter((each) => kind === undefined || each === kind);
  const lists = await Promise.all(kinds.map((each) => store.templates.list(actor.accountId, each)));
  const templates = lists.flat().filter((template) =>
    mayUseTemplate(actor, template) && (alias === undefined || template.alias === alias)
  );
  if (templates.length > MAX_BUNDLE_TEMPLATES) {
    const error = `A bundle has at most ${MAX_BUNDLE_TEMPLATES} templates. Name a kind or an alias`;
    throw new HttpError("invalid_request", error);
  }
  const budget = openBundleBudget();
  const shown = (await mapSome(CONCURRENCY, templates, async (template) => {
    const state = await loadState(template, store);
    const source = shownSource(state);
    if (source === null) return [];
    const files = filesOfState(state, source);
    // Files beyond the budget are only counted.
    return [{ template, files: budget.add(files) ? files : {} }];
  })).flat();
  const nameless = shown.filter(({ template }) => template.alias === null);
  if (nameless.length > 0) {
    const issues = nameless.map(({ template: { kind, id } }) => ({
      path: `${kind}/${id}`,
      message: "has no alias",
    }));
    const error = "Cannot write templates without an alias as files. Give them aliases";
    throw new HttpError("alias_missing", error, { issues });
  }
  const isWhole = kind === undefined && alias === undefined && isUnlimited(actor, "templates");
  const assets = isWhole ? await keptAssets(actor.accountId, store) : {};
  const partials = isWhole ? await filedPartials(actor.accountId, store) : {};
  budget.add(partials);
  budget.require(". Name a kind or an alias");
  return { files: Object.assign({}, ...shown.map(({ files }) => files), partials), assets };
}

/** Lists the files that an account keeps, without their bytes. */
async function keptAssets(
  accountId: string,
  { assets: { listNames } }: StorePart<"assets.listNames">,
): Promise<Bundle["assets"]> {
  const kept = await listNames(accountId, { limit: MAX_ASSETS });
  return Object.fromEntries(
    kept.map(({ name, sha256, size, contentType, filename, alt = "" }) => [
      name,
      { sha256, size, contentType, filename, alt },
    ]),
  );
}

/** Writes partials and the brand as files, by the rules for templates. */
async function filedPartials(
  accountId: string,
  { partials: { list, find } }: StorePart<"partials.find" | "partials.list">,
): Promise<Record<string, string>> {
  const found = await mapSome(
    CONCURRENCY,
    await list(accountId),
    ({ name }) => find({ accountId, name }),
  );
  return partialFilesOf(found.flatMap((partial) => {
    if (partial === null) return [];
    const { name, draft, published } = partial;
    const isByFiles = published?.revision !== draft.revision && draft.updatedBy === null;
    const source = isByFiles ? draft.source : published?.source;
    return source === undefined ? [] : [{ name, source }];
  }));
}
