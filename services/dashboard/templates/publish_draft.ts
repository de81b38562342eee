import {
  type EmailVersion,
  type PdfVersion,
  sourceOfVersion,
  type Template,
  type TemplateDraft,
} from "@posthaste/contracts";
import type { Published, Store, StorePart } from "@posthaste/storage";
import { describeFinding, type LintFinding } from "@posthaste/templating";
import { HttpError } from "../http_error.ts";
import type { CompiledParts, Rendering } from "./ask_renderer.ts";
import { contentHash } from "./draft_content.ts";
import {
  type BodyFinding,
  judgeSource,
  type Judging,
  type RenderedSource,
} from "./judge_source.ts";
import { contentOf } from "./version_content.ts";
import { hasSamePins, keepAssets, pinsOf, requireNewestPartials } from "./version_pins.ts";

/** A compiled draft. */
export interface CompiledDraft {
  template: Template;
  draft: TemplateDraft;
  compiled: CompiledParts;
}

/** Who publishes, and for what purpose. */
export interface PublishOptions {
  store: Store;
  /** Null for a program. */
  userId: string | null;
  /** Whether the version is stored for a test mail. @default {false} */
  isTest?: boolean;
}

/**
 * Publishes a compiled draft as a new version, or stores it for a test mail. If it equals the
 * published version, that version stays.
 *
 * @throws {HttpError} `conflict` if one of its partials was published meanwhile: the version has the older one.
 */
export async function publishDraft(
  { template, draft, compiled }: CompiledDraft,
  { store, userId, isTest = false }: PublishOptions,
): Promise<EmailVersion | PdfVersion> {
  const { accountId, kind, id, name } = template;
  const published = await sameAsPublished({ template, draft, compiled }, store);
  if (published !== null) return published;
  const { source } = draft;
  await keepAssets(accountId, compiled, store);
  const { version } = await store.templates.publish({
    ...{ accountId, id, name, variables: source.variables, locale: source.locale },
    ...{ sourceHash: contentHash(kind, source, compiled), publishedBy: userId, isTest },
    ...{ reads: compiled.reads, ...pinsOf(compiled) },
    ...contentOf(source, compiled),
  });
  if (isTest) return version;
  await store.drafts.noteBase(draft, version.version);
  await requireNewestPartials(version, store);
  return version;
}

/**
 * Returns the published version if publishing a draft would change nothing: it has the same source, images and
 * partials; else null.
 */
export async function sameAsPublished(
  { template, draft, compiled }: CompiledDraft,
  { templates: { findVersion } }: StorePart<"templates.findVersion">,
): Promise<EmailVersion | PdfVersion | null> {
  const { accountId, kind, id, publishedVersion } = template;
  if (publishedVersion === null || draft.base !== publishedVersion) return null;
  const published = await findVersion(accountId, kind, id, publishedVersion);
  return published !== null && hasSamePins(published, compiled) ? published : null;
}

/**
 * Publishes the source of an older version again, as it was compiled then. An unchanged draft
 * follows; a draft with changes stays.
 *
 * @throws {HttpError} `not_found` if there is no such version, `invalid_request` if it was stored for a test mail.
 */
export async function rollBack(
  template: Template,
  wanted: number,
  { store, userId }: PublishOptions,
): Promise<Published> {
  const { accountId, kind, id, name } = template;
  const older = await store.templates.findVersion(accountId, kind, id, wanted);
  if (older === null) throw new HttpError("not_found", `There is no version ${wanted}`);
  if (older.isTest) {
    const message = `Version ${wanted} was stored for a test mail. Publish the draft instead`;
    throw new HttpError("invalid_request", message);
  }
  const { variables, reads, locale, sourceHash } = older;
  await keepAssets(accountId, older, store);
  const published = await store.templates.publish({
    ...{ accountId, id, name, variables, reads, locale, sourceHash, publishedBy: userId },
    ...pinsOf(older),
    ...(older.kind === "email"
      ? { ...bodiesOfVersion(older), kind: older.kind }
      : { ...bodiesOfVersion(older), kind: older.kind, page: older.page }),
  });
  return published;
}

function bodiesOfVersion<Version extends EmailVersion | PdfVersion>(
  { source, parts, variants, shows }: Version,
) {
  const more = variants === undefined ? {} : { variants, shows };
  return { source, parts, ...more } as Pick<Version, "source" | "parts" | "variants" | "shows">;
}

/**
 * Resets the draft to a version's source; the sample stays.
 *
 * @throws {HttpError} `conflict` if another user changed it meanwhile.
 */
export async function resetDraft(
  draft: TemplateDraft,
  version: EmailVersion | PdfVersion,
  { store, userId, now }: PublishOptions & { now(): Date },
): Promise<TemplateDraft> {
  const changed = await store.drafts.change({
    ...{ ...draft, base: version.version, updatedAt: now(), updatedBy: userId },
    source: sourceOfVersion(version, draft.source.sample),
  });
  if (changed === null) throw changedMeanwhile();
  return changed;
}

/** Returns the error for a draft that another user changed first. */
export function changedMeanwhile(): HttpError {
  return new HttpError("conflict", "Someone else changed the draft");
}

/**
 * Returns the compiled parts.
 *
 * @throws {HttpError} `template_failed`, with the faults by `part:line:column`, or `variants/de/part:line:column`.
 */
export function compiledBy(rendering: Rendering): CompiledParts {
  if (rendering.ok && rendering.compiled !== undefined) return rendering.compiled;
  if (rendering.ok) throw new HttpError("no_answer", "The response was incomplete. Try again");
  const { reason, errors, variant } = rendering;
  const issues = errors.map((error) => ({
    path: placeOf({ ...error, variant }),
    message: error.message,
  }));
  const message = variant === null ? reason : `Language variant "${variant}": ${reason}`;
  throw new HttpError("template_failed", message, { issues });
}

/**
 * Refuses to publish a source that violates a rule for templates, or one of those that `isJudged` chooses.
 * Returns warnings about what could not be checked.
 *
 * @throws {HttpError} `template_failed`, with the errors by `part:line:column`, as `compiledBy()` has them; and as
 * `judgeSource()`.
 */
export async function requirePublishable(
  rendered: RenderedSource,
  { isJudged = () => true, ...judging }: Judging & {
    isJudged?: (finding: LintFinding) => boolean;
  },
): Promise<string[]> {
  const { errors, unprinted } = await judgeSource(rendered, judging);
  const issues = errors.filter(isJudged).map((finding) => ({
    path: placeOf(finding),
    message: describeFinding(finding),
  }));
  if (issues.length > 0) {
    throw new HttpError("template_failed", "The template has errors", { issues });
  }
  return unprinted.map(({ variant, message }) =>
    `${
      variant === null ? "The PDF" : `The PDF of language "${variant}"`
    } was not checked: ${message}`
  );
}

function placeOf(
  { part, line, column, partial, variant }: Pick<
    BodyFinding,
    "part" | "line" | "column" | "partial" | "variant"
  >,
): string {
  if (partial !== undefined) return `partials/${partial}:${line}:${column}`;
  const place = variant === null ? part : `variants/${variant}/${part}`;
  return line === null ? place : `${place}:${line}:${column}`;
}
