import { filesOf } from "@posthaste/bundle";
import {
  type DraftSource,
  type EmailVersion,
  type PdfVersion,
  sourceOfVersion,
  type Template,
  type TemplateDraft,
} from "@posthaste/contracts";
import type { StorePart } from "@posthaste/storage";

/** The current state of a template: its published version and its draft. */
export interface TemplateState {
  template: Template;
  /** Null before the first version. */
  published: EmailVersion | PdfVersion | null;
  /** Null if no draft has been opened. */
  draft: TemplateDraft | null;
}

/** Loads the current state of a template. */
export async function loadState(
  template: Template,
  { templates: { findVersion }, drafts: { find: findDraft } }: StorePart<
    "drafts.find" | "templates.findVersion"
  >,
): Promise<TemplateState> {
  const { accountId, kind, id, publishedVersion } = template;
  const [published, draft] = await Promise.all([
    publishedVersion === null ? null : findVersion(accountId, kind, id, publishedVersion),
    findDraft(template),
  ]);
  return { template, published, draft };
}

/** Returns the draft, if it has unpublished changes. */
export function changedDraft({ draft }: TemplateState): TemplateDraft | null {
  return draft?.base === null ? draft : null;
}

/** Returns whether a person has unpublished changes in the draft. */
export function isInHand(state: TemplateState): boolean {
  return (changedDraft(state)?.updatedBy ?? null) !== null;
}

/** Returns the published source, with the sample of the draft; null before the first version. */
export function publishedSource({ published, draft }: TemplateState): DraftSource | null {
  return published === null ? null : sourceOfVersion(published, draft?.source.sample);
}

/**
 * Returns the source of a template as files have it: a draft that files have changed, else the
 * published version. A person's unpublished draft is not shown to others; null if there is nothing
 * else.
 */
export function shownSource(state: TemplateState): DraftSource | null {
  const draft = changedDraft(state);
  return draft !== null && !isInHand(state) ? draft.source : publishedSource(state);
}

/** Returns a source of a template as files. */
export function filesOfState(
  { template: { kind, name, alias } }: Pick<TemplateState, "template">,
  source: DraftSource,
): Record<string, string> {
  return filesOf({ kind, name, alias: alias ?? "", source });
}
