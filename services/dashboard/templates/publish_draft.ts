import {
  type DraftSource,
  type EmailVersion,
  type PdfVersion,
  sourceOfVersion,
  type Template,
  type TemplateDraft,
  type TemplateKind,
} from "@posthaste/contracts";
import type { Publication, Published, Store, StorePart } from "@posthaste/storage";
import { isMjml, type LintFinding, lintTemplate, sayFinding } from "@posthaste/templating";
import { HttpError } from "../http_error.ts";
import type { CompiledParts, Rendering } from "./ask_renderer.ts";
import { contentHash } from "./draft_content.ts";
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
      ? { kind: older.kind, source: older.source, parts: older.parts }
      : { kind: older.kind, source: older.source, parts: older.parts, page: older.page }),
  });
  return published;
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
 * @throws {HttpError} `template_failed`, with the faults by `part:line:column`.
 */
export function compiledBy(rendering: Rendering): CompiledParts {
  if (rendering.ok && rendering.compiled !== undefined) return rendering.compiled;
  if (rendering.ok) throw new HttpError("no_answer", "The response was incomplete. Try again");
  const { reason, errors } = rendering;
  const issues = errors.map(({ part, line, column, partial, message }) => ({
    path: `${partial === undefined ? part : `partials/${partial}`}:${line}:${column}`,
    message,
  }));
  throw new HttpError("template_failed", reason, { issues });
}

/** A source, and what became of it. */
export interface RenderedSource {
  kind: TemplateKind;
  source: DraftSource;
  rendering: Rendering;
}

/** Finds which rules a source breaks that prevent publishing. */
export function errorFindings({ kind, source, rendering }: RenderedSource): LintFinding[] {
  if (!rendering.ok) return [];
  const { variables, missing, warnings, parts: output, assets = [] } = rendering;
  return lintTemplate({ kind, source, variables, missing, warnings, output, assets })
    .filter(({ severity }) => severity === "error");
}

/**
 * Refuses to publish a source that violates a rule for templates, or one of those that `isJudged` chooses.
 *
 * @throws {HttpError} `template_failed`, with the errors by `part:line:column`.
 */
export function requirePublishable(
  rendered: RenderedSource,
  isJudged: (finding: LintFinding) => boolean = () => true,
): void {
  const issues = errorFindings(rendered).filter(isJudged).map((finding) => ({
    path: placeOf(finding),
    message: sayFinding(finding),
  }));
  if (issues.length === 0) return;
  throw new HttpError("template_failed", "The template has errors", { issues });
}

function placeOf({ part, line, column, partial }: LintFinding): string {
  if (partial !== undefined) return `partials/${partial}:${line}:${column}`;
  return line === null ? part : `${part}:${line}:${column}`;
}

/** Returns the content of a version, from its source and its compiled parts. */
export function contentOf(
  { subject, html, text, filename, invoice, page }: DraftSource,
  compiled: CompiledParts,
): Content {
  if (page !== null) {
    const { html: body, subject: name, invoice: xml } = compiled;
    const parts = { html: body, filename: name, ...(xml === undefined ? {} : { invoice: xml }) };
    const written = name === filename ? {} : { filename };
    const authored = invoice === undefined ? {} : { invoice };
    return { kind: "pdf", source: { html, ...authored, ...written }, parts, page };
  }
  const source = {
    subject,
    ...(isMjml(html) ? { mjml: html } : { html }),
    ...(text.trim() === "" ? {} : { text }),
  };
  const { subject: line, html: body, text: plain } = compiled;
  return { kind: "email", source, parts: { subject: line, html: body, text: plain } };
}

type Content = Publication extends infer P
  ? P extends Publication ? Pick<P, Extract<keyof P, "kind" | "source" | "parts" | "page">> : never
  : never;
