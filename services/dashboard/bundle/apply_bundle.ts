import { fileOfPartial } from "@posthaste/bundle";
import { BRAND, type BundleApplied } from "@posthaste/contracts";
import { PlanOutdatedError, type TemplateChange } from "@posthaste/storage";
import type { Actor } from "../actor.ts";
import { audit } from "../audit.ts";
import type { DashboardDeps } from "../dashboard_deps.ts";
import { HttpError } from "../http_error.ts";
import type { Routing } from "../routing.ts";
import { contentHash } from "../templates/draft_content.ts";
import { keepAssets, pinsOf } from "../templates/version_pins.ts";
import { contentOf } from "../templates/version_content.ts";
import { shownAsset } from "./plan_assets.ts";
import { storeContents } from "./store_contents.ts";
import { shownPartial, storedChange } from "./plan_partials.ts";
import { type PreparedBundle, shownChange } from "./plan_bundle.ts";
import type { ReadyChange } from "./plan_change.ts";

/** A plan to apply, and which of its effects are allowed. */
export interface Application {
  prepared: PreparedBundle;
  /** The plan that the caller has reviewed. */
  plan: string;
  overwriteDrafts: boolean;
  /** The bytes that the account lacks, as base64 by SHA-256. */
  contents: Readonly<Record<string, string>>;
}

const OUTDATED = "Cannot apply the plan: templates or files were changed meanwhile. Plan again";

/**
 * Applies a plan, all or nothing.
 *
 * @throws {HttpError} `plan_outdated`, `template_failed`, `draft_conflict`
 */
export async function applyBundle(
  actor: Actor,
  { prepared, plan, overwriteDrafts, contents }: Application,
  { store, now, uploads }: Pick<DashboardDeps, "store" | "now"> & Pick<Routing, "uploads">,
): Promise<BundleApplied> {
  if (plan !== prepared.plan) throw new HttpError("plan_outdated", OUTDATED);
  refuseFaults(prepared);
  if (!overwriteDrafts) refuseDraftLoss(prepared);
  const { changes, partials, warnings } = prepared;
  const { accountId } = actor;
  const appended = appendedNames(changes);
  const planned = { planned: prepared.assets, contents, appended, now: now() };
  const assets = await storeContents(accountId, planned, { ...store, uploads });
  for (const { compiled } of changes) {
    if (compiled !== undefined) await keepAssets(accountId, compiled, store);
  }
  const count = changes.length + partials.length + assets.length;
  const done = count === 0 ? [] : await store.templates.apply(
    accountId,
    changes.map((change) => changeOf(change, actor)),
    now(),
    { partials: partials.map(storedChange), assets },
  ).catch((error: unknown) => {
    if (error instanceof PlanOutdatedError) throw new HttpError("plan_outdated", OUTDATED);
    throw error;
  });
  for (const partial of partials) {
    const action = `partial.${partial.publish ? "published" : "changed"}`;
    const target = partial.name === BRAND ? "brand" : `partial "${partial.name}"`;
    await audit({ ...store, now }, actor, { action, target, details: { by: "push" } });
  }
  for (const { asset: { name, contentType, size }, parts } of assets) {
    const action = `asset.${parts.includes("content") ? "stored" : "described"}`;
    const details = { by: "push", type: contentType, bytes: size };
    await audit({ ...store, now }, actor, { action, target: `file ${name}`, details });
  }
  const applied: BundleApplied["changes"] = [];
  for (const [index, change] of changes.entries()) {
    const { id = 0, version = null, name = "" } = done[index] ?? {};
    const shown = { ...shownChange(change), id, version };
    applied.push(shown);
    const target = `${shown.kind === "pdf" ? "PDF" : shown.kind} template ${id} (${name})`;
    const action = `template.${verbOf(change)}`;
    const details = { by: "push", ...(version === null ? {} : { version }) };
    await audit({ ...store, now }, actor, { action, target, details });
  }
  const shared = { partials: partials.map(shownPartial), assets: assets.map(shownAsset) };
  return { changes: applied, ...shared, warnings };
}

/** Returns the names of PDFs that templates append. */
function appendedNames(changes: readonly ReadyChange[]): Set<string> {
  return new Set(changes.flatMap(({ wanted }) => wanted?.source.page?.append ?? []));
}

function verbOf({ change, publish }: ReadyChange): string {
  if (change === "archive") return "archived";
  if (publish) return "published";
  return change === "create" ? "created" : "changed";
}

function refuseFaults({ faults }: PreparedBundle): void {
  if (faults.length === 0) return;
  const issues = faults.map(({ file, line, column, message }) => ({
    path: [file, line, column].filter((part) => part !== undefined).join(":"),
    message,
  }));
  const [first] = issues;
  const error = `Cannot apply the bundle: ${first?.path} ${first?.message}`;
  throw new HttpError("template_failed", error, { issues });
}

function refuseDraftLoss({ changes, partials }: PreparedBundle): void {
  const lost = [
    ...changes.filter(({ overwritesDraft }) => overwritesDraft)
      .map(({ kind, alias }) => `${kind}/${alias}`),
    ...partials.filter(({ overwritesDraft }) => overwritesDraft)
      .map(({ name }) => fileOfPartial(name)),
  ];
  const issues = lost
    .map((path) => ({
      path,
      message: "has a draft that a person has changed and not published",
    }));
  if (issues.length === 0) return;
  const error = "Cannot apply the bundle: unpublished drafts of people would be lost. " +
    "Publish or discard them, or set overwriteDrafts";
  throw new HttpError("draft_conflict", error, { issues });
}

function changeOf(change: ReadyChange, { userId }: Actor): TemplateChange {
  const { kind, alias, state, wanted, compiled, replacesDraft, draftBase } = change;
  const template = state?.template ?? null;
  const named = {
    kind,
    alias: template === null ? alias : template.alias,
    template,
    name: wanted?.name ?? template?.name ?? "",
  };
  if (wanted === null) return { ...named, archive: true };
  const { source } = wanted;
  const revision = state?.draft?.revision ?? null;
  const publication = !change.publish || compiled === undefined ? undefined : {
    ...{ variables: source.variables, locale: source.locale, reads: compiled.reads },
    ...{ sourceHash: contentHash(kind, source, compiled), publishedBy: userId },
    ...pinsOf(compiled),
    ...contentOf(source, compiled),
  };
  return {
    ...named,
    ...(publication === undefined ? {} : { publication }),
    ...(replacesDraft ? { draft: { source, revision, base: draftBase } } : {}),
  };
}
