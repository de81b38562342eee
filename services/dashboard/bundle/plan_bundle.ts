import { hash } from "node:crypto";
import { type Authored, type ReadBundle, readBundle, sourceOfAuthored } from "@posthaste/bundle";
import {
  type BundleChange,
  type BundleFault,
  type BundleWish,
  MAX_BUNDLE_TEMPLATES,
  type Template,
  TEMPLATE_KINDS,
} from "@posthaste/contracts";
import type { Actor } from "../actor.ts";
import type { DashboardDeps } from "../dashboard_deps.ts";
import { HttpError } from "../http_error.ts";
import { requireQuota } from "../quotas.ts";
import { mayUseTemplate, requireTemplate, requireUnlimited } from "../token_limits.ts";
import { type BundleBudget, openBundleBudget } from "./bundle_budget.ts";
import { compileTemplate } from "./compile_template.ts";
import {
  partialFaults,
  pinnedOf,
  type PlannedPartial,
  planPartials,
  shownPartial,
} from "./plan_partials.ts";
import { planOldImages } from "./plan_old_images.ts";
import { planRepublished } from "./plan_republished.ts";
import {
  planArchive,
  planChange,
  type PlannedChange,
  type ReadyChange,
  withoutContents,
} from "./plan_change.ts";
import {
  fileOfAsset,
  pinnedAssetOf,
  planAssets,
  type PlannedAsset,
  type PlannedAssets,
  shownAsset,
} from "./plan_assets.ts";
import { loadState, shownSource } from "./template_state.ts";
import { mapSome } from "../map_some.ts";
import { openCheckPrints } from "../templates/judge_source.ts";

/** All effects of a push. */
export interface PreparedBundle {
  plan: string;
  changes: ReadyChange[];
  partials: PlannedPartial[];
  assets: PlannedAsset[];
  faults: BundleFault[];
  warnings: BundleFault[];
}

/** What planning needs. */
export interface PlanDeps extends Pick<DashboardDeps, "store" | "bus"> {
  /** The most templates of an account. */
  maxTemplates: number;
  /** The most bytes of the files that an account keeps. */
  maxAssetBytes: number;
}

/** For all templates together: the answer must come before the connection counts as idle. */
const COMPILE_LIMIT_MS = 40_000;

/** The most templates that are loaded or compiled at the same time. */
const CONCURRENCY = 4;

/**
 * Plans a push, and checks it: everything that changes is compiled.
 *
 * @throws {HttpError} `payload_too_large`; `missing_scope` if the token is for other templates;
 * `no_answer`, `unavailable`
 */
export async function planBundle(
  actor: Actor,
  wish: BundleWish,
  deps: PlanDeps,
): Promise<PreparedBundle> {
  const budget = openBundleBudget();
  budget.add(wish.files);
  budget.require();
  const read = readBundle(wish.files);
  const faults: BundleFault[] = [...read.faults, ...beyond(read, wish)];
  const current = await listTemplates(actor, deps);
  const { accountId } = actor;
  if (Object.keys(wish.assets).length > 0) requireUnlimited(actor, "templates");
  const stored = faults.length > 0 ? NO_ASSETS : await planAssets(wish.assets, {
    ...{ accountId, maxBytes: deps.maxAssetBytes },
  }, deps.store);
  requireContents(stored.planned, budget);
  faults.push(...stored.faults);
  const assets = stored.planned.map(pinnedAssetOf);
  const wanted = faults.length > 0 ? [] : read.templates;
  const planned = await mapSome(CONCURRENCY, wanted, async (template) => {
    const found = current.find((one) => isOf(one, template));
    if (found === undefined) requireUnlimited(actor, "templates");
    else requireTemplate(actor, found);
    const state = found === undefined ? null : await loadState(found, deps.store);
    const { kind, alias, settings: { name } } = template;
    const named = { kind, alias, name, source: sourceOfAuthored(template) };
    const change = planChange(named, state, wish) ?? planOldImages(named, { state, wish });
    return change === null ? [] : [{ template, change: withoutContents(change) }];
  });
  const updates = planned.flat();
  requireQuotaFor(updates.map(({ change }) => change), { current, ...deps });
  const partials = faults.length > 0 ? [] : await planPartials(read.partials, {
    ...{ accountId, publish: wish.publish },
  }, deps);
  if (partials.length > 0) requireUnlimited(actor, "templates");
  const instead = partials.map(pinnedOf);
  const until = performance.now() + COMPILE_LIMIT_MS;
  const prints = openCheckPrints();
  const compiled = await mapSome(CONCURRENCY, updates, async ({ template, change }) => {
    if (performance.now() > until) throw tooLong();
    const isWritten = change.replacesDraft || change.publish;
    if (!isWritten) return { change, faults: [], warnings: [], compiled: undefined };
    const options = { accountId, isPublished: change.publish, instead, assets, prints };
    return { change, ...await compileTemplate(template, options, deps) };
  });
  const archived = wish.prune && faults.length === 0
    ? await planArchives(actor, { wish, current, wanted, deps })
    : { changes: [], warnings: [] };
  const decided = [...updates.map(({ change }) => change), ...archived.changes];
  const again = await planRepublished(partials, {
    ...{ accountId, instead, assets, prints },
    isPlanned: (one) =>
      decided.some((other) =>
        other.kind === one.kind && other.alias === one.alias &&
        (other.publish || other.change === "archive")
      ),
  }, deps);
  const isRepublished = ({ kind, alias }: PlannedChange) =>
    again.changes.some((other) => other.kind === kind && other.alias === alias);
  const changes: ReadyChange[] = [
    ...compiled.filter(({ change }) => !isRepublished(change))
      .map(({ change, compiled }) => ({ ...change, compiled })),
    ...again.changes.map((change) => renamed(change, updates.map((update) => update.change))),
    ...archived.changes.map((change) => ({ ...change, compiled: undefined })),
  ];
  return {
    plan: planId(accountId, wish, { changes, partials, assets: stored.planned }),
    ...{ changes, partials, assets: stored.planned },
    faults: withoutRepeats([
      ...faults,
      ...await partialFaults(partials, { accountId, instead }, deps),
      ...compiled.flatMap(({ faults }) => faults),
      ...again.faults,
    ]),
    warnings: [
      ...read.warnings,
      ...archived.warnings,
      ...compiled.flatMap(({ warnings }) => warnings),
      ...again.warnings,
    ],
  };
}

const NO_ASSETS: PlannedAssets = { planned: [], faults: [] };

/** @throws {HttpError} `payload_too_large` if the bytes that the account lacks do not fit beside the files. */
function requireContents(planned: readonly PlannedAsset[], budget: BundleBudget): void {
  const lacking = planned.filter(({ needsContent }) => needsContent);
  const sizes = new Map(lacking.map(({ asset: { sha256, size } }) => [sha256, size]));
  for (const size of sizes.values()) budget.addContent(size);
  budget.require(". Keep large files first, by PUT /assets/{name}");
}

/** Publishes a template again under the name that the files give it. */
function renamed(change: ReadyChange, updates: readonly PlannedChange[]): ReadyChange {
  const update = updates.find(({ kind, alias }) => kind === change.kind && alias === change.alias);
  if (update?.wanted == null || change.wanted === null) return change;
  return { ...change, wanted: { ...change.wanted, name: update.wanted.name } };
}

/** A partial that several templates include has its faults once. */
function withoutRepeats(faults: readonly BundleFault[]): BundleFault[] {
  const byText = new Map(faults.map((fault) => [JSON.stringify(fault), fault]));
  return [...byText.values()];
}

/** Returns the part of a change that callers see. */
export function shownChange(change: PlannedChange): BundleChange {
  const { kind, alias, change: what, from, publish, files, overwritesDraft } = change;
  return { kind, alias, change: what, from, publish, files, overwritesDraft };
}

async function listTemplates({ accountId }: Actor, { store }: PlanDeps): Promise<Template[]> {
  const lists = TEMPLATE_KINDS.map((kind) => store.templates.list(accountId, kind));
  return (await Promise.all(lists)).flat();
}

/** Finds templates outside of the push's filter, and too many templates. */
function beyond(
  { templates, partials }: Pick<ReadBundle, "templates" | "partials">,
  { kind, alias, assets }: BundleWish,
): BundleFault[] {
  const others = templates.filter((one) =>
    (kind !== undefined && one.kind !== kind) || (alias !== undefined && one.alias !== alias)
  );
  const isFiltered = kind !== undefined || alias !== undefined;
  const outside = [
    ...others.map(({ folder }) => folder),
    ...(isFiltered ? partials.map(({ file }) => file) : []),
    ...(isFiltered ? Object.keys(assets).map(fileOfAsset) : []),
  ];
  const faults = outside.map((file) => ({
    file,
    message: "does not match the kind and alias of the request",
  }));
  if (templates.length <= MAX_BUNDLE_TEMPLATES) return faults;
  return [...faults, { file: "", message: `has more than ${MAX_BUNDLE_TEMPLATES} templates` }];
}

interface Archiving {
  wish: BundleWish;
  current: readonly Template[];
  wanted: readonly Authored[];
  deps: PlanDeps;
}

/**
 * Plans which templates to archive. Templates that cannot be in files stay: those without an alias,
 * and unpublished ones.
 */
async function planArchives(
  actor: Actor,
  { wish: { kind, alias }, current, wanted, deps }: Archiving,
): Promise<{ changes: PlannedChange[]; warnings: BundleFault[] }> {
  const lacking = current.filter((one) =>
    mayUseTemplate(actor, one) && (kind === undefined || one.kind === kind) &&
    (alias === undefined || one.alias === alias) && !wanted.some((other) => isOf(one, other))
  );
  const archives = await mapSome(
    CONCURRENCY,
    lacking.filter(({ alias }) => alias !== null),
    async (one) => {
      const state = await loadState(one, deps.store);
      return shownSource(state) === null ? [] : [withoutContents(planArchive(state))];
    },
  );
  return {
    changes: archives.flat(),
    warnings: lacking.filter(({ alias }) => alias === null).map(({ kind, id }) => ({
      file: kind,
      message: `${kind} template ${id} has no alias: it stays`,
    })),
  };
}

function requireQuotaFor(
  changes: readonly PlannedChange[],
  { current, maxTemplates }: { current: readonly Template[]; maxTemplates: number },
): void {
  const added = changes.filter(({ change }) => change === "create").length;
  if (added === 0) return;
  const full = `The account may have ${maxTemplates} templates. Archive some first`;
  requireQuota(current.length + added - 1, maxTemplates, full);
}

function tooLong(): HttpError {
  const seconds = COMPILE_LIMIT_MS / 1000;
  return new HttpError(
    "no_answer",
    `The templates were not compiled within ${seconds} s. Name a kind or an alias, or try again`,
  );
}

function isOf(one: Template, other: Pick<Authored, "kind" | "alias">): boolean {
  return one.kind === other.kind && one.alias === other.alias;
}

/** Returns a hash of the request and of the current state of all that it changes. */
function planId(
  accountId: string,
  wish: BundleWish,
  { changes, partials, assets }: Pick<PreparedBundle, "changes" | "partials" | "assets">,
): string {
  const { files, assets: wanted, publish, prune, kind = null, alias = null } = wish;
  const sorted = Object.entries(files).sort(([a], [b]) => a < b ? -1 : 1);
  const now = changes.map((change) => [shownChange(change), revisionOf(change.state)]);
  const shared = partials.map((one) => [shownPartial(one), one.revision]);
  const kept = assets.map((one) => [shownAsset(one), one.asset, one.previous?.updatedAt ?? null]);
  const wishes = [sorted, Object.entries(wanted).sort(([a], [b]) => a < b ? -1 : 1)];
  const content = [accountId, wishes, publish, prune, kind, alias, now, shared, kept];
  return `pln_${hash("sha256", JSON.stringify(content), "base64url")}`;
}

function revisionOf(state: PlannedChange["state"]): unknown {
  if (state === null) return null;
  const { template: { id, name, publishedVersion, updatedAt }, draft } = state;
  return [id, name, publishedVersion, updatedAt, draft?.revision ?? null, draft?.base ?? null];
}
