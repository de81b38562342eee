import {
  type DraftSource,
  type EmailVersion,
  type PdfVersion,
  sourceOfVersion,
  type Template,
  type TemplateDraft,
  type TemplateKind,
} from "@posthaste/contracts";
import type { Publication, Published, Store } from "@posthaste/storage";
import { isMjml, type LintFinding, lintTemplate, sayFinding } from "@posthaste/templating";
import { HttpError } from "../http_error.ts";
import type { CompiledParts, Rendering } from "./ask_renderer.ts";
import { contentHash } from "./draft_content.ts";

/** A draft that was compiled. */
export interface CompiledDraft {
  template: Template;
  draft: TemplateDraft;
  compiled: CompiledParts;
}

/** Who publishes, and what for. */
export interface PublishOptions {
  store: Store;
  /** Null for a program. */
  userId: string | null;
  /** Whether the version is stored for a test mail. @default {false} */
  isTest?: boolean;
}

/**
 * Publishes a compiled draft as a new version, or stores it for a test mail. What is published already
 * stays the version that it is.
 */
export async function publishDraft(
  { template, draft, compiled }: CompiledDraft,
  { store, userId, isTest = false }: PublishOptions,
): Promise<EmailVersion | PdfVersion> {
  const { accountId, kind, id, name, publishedVersion } = template;
  if (draft.base !== null && draft.base === publishedVersion) {
    const published = await store.templates.findVersion(accountId, kind, id, publishedVersion);
    if (published !== null) return published;
  }
  const { source } = draft;
  const { version } = await store.templates.publish({
    ...{ accountId, id, name, variables: source.variables, locale: source.locale },
    ...{ sourceHash: contentHash(kind, source), publishedBy: userId, isTest },
    reads: compiled.reads,
    ...contentOf(source, compiled),
  });
  if (!isTest) await store.drafts.noteBase(draft, version.version);
  return version;
}

/**
 * Publishes what an older version was made from again, as it was compiled then. A draft that nobody has
 * changed follows; what somebody is working on stays.
 *
 * @throws {HttpError} `not_found` if there is no such version.
 */
export async function rollBack(
  template: Template,
  wanted: number,
  { store, userId }: PublishOptions,
): Promise<Published> {
  const { accountId, kind, id, name } = template;
  const older = await store.templates.findVersion(accountId, kind, id, wanted);
  if (older === null) throw new HttpError("not_found", `There is no version ${wanted}`);
  const { variables, reads, locale, sourceHash } = older;
  const published = await store.templates.publish({
    ...{ accountId, id, name, variables, reads, locale, sourceHash, publishedBy: userId },
    ...(older.kind === "email"
      ? { kind: older.kind, source: older.source, parts: older.parts }
      : { kind: older.kind, source: older.source, parts: older.parts, page: older.page }),
  });
  return published;
}

/**
 * Makes the draft what a version is made of; the sample stays.
 *
 * @throws {HttpError} `conflict` if somebody else changed it meanwhile.
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

/** Somebody else was faster. */
export function changedMeanwhile(): HttpError {
  return new HttpError("conflict", "Someone else changed the draft");
}

/**
 * Returns what a renderer compiled.
 *
 * @throws {HttpError} `template_failed`, with the faults by `part:line:column`.
 */
export function compiledBy(rendering: Rendering): CompiledParts {
  if (rendering.ok && rendering.compiled !== undefined) return rendering.compiled;
  if (rendering.ok) throw new HttpError("no_answer", "The response was incomplete. Try again");
  const { reason, errors } = rendering;
  const issues = errors.map(({ part, line, column, message }) => ({
    path: `${part}:${line}:${column}`,
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
  const { variables, missing, warnings, parts: output } = rendering;
  return lintTemplate({ kind, source, variables, missing, warnings, output })
    .filter(({ severity }) => severity === "error");
}

/**
 * Refuses to publish what a rule for templates forbids.
 *
 * @throws {HttpError} `template_failed`, with the errors by `part:line:column`.
 */
export function requirePublishable(rendered: RenderedSource): void {
  const issues = errorFindings(rendered).map((finding) => ({
    path: placeOf(finding),
    message: sayFinding(finding),
  }));
  if (issues.length === 0) return;
  throw new HttpError("template_failed", "The template has errors", { issues });
}

function placeOf({ part, line, column }: LintFinding): string {
  return line === null ? part : `${part}:${line}:${column}`;
}

/** Returns what a version has of a source and what was compiled from it. */
export function contentOf(
  { subject, html, text, filename, page }: DraftSource,
  compiled: CompiledParts,
): Content {
  if (page !== null) {
    return { kind: "pdf", source: { html }, parts: { html: compiled.html, filename }, page };
  }
  const source = {
    subject,
    ...(isMjml(html) ? { mjml: html } : { html }),
    ...(text.trim() === "" ? {} : { text }),
  };
  const { reads: _, ...parts } = compiled;
  return { kind: "email", source, parts };
}

type Content = Publication extends infer P
  ? P extends Publication ? Pick<P, Extract<keyof P, "kind" | "source" | "parts" | "page">> : never
  : never;
