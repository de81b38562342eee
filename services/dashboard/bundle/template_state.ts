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

/** A template as it is now: what is published, and what its authors have in hand. */
export interface TemplateState {
  template: Template;
  /** Null before the first version. */
  published: EmailVersion | PdfVersion | null;
  /** Null where nobody has opened one. */
  draft: TemplateDraft | null;
}

/** Loads what a template is now. */
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

/** Returns the draft, if it was changed and not published. */
export function changedDraft({ draft }: TemplateState): TemplateDraft | null {
  return draft?.base === null ? draft : null;
}

/** Returns whether a person has changed the draft and not published it. */
export function isInHand(state: TemplateState): boolean {
  return (changedDraft(state)?.updatedBy ?? null) !== null;
}

/** Returns what is published, with the sample of the draft; null before the first version. */
export function publishedSource({ published, draft }: TemplateState): DraftSource | null {
  return published === null ? null : sourceOfVersion(published, draft?.source.sample);
}

/**
 * Returns what a template is to those who have it as files: a draft that files have made, else what is
 * published. A draft that a person has in hand is not for others before it is published; null where
 * there is nothing else.
 */
export function shownSource(state: TemplateState): DraftSource | null {
  const draft = changedDraft(state);
  return draft !== null && !isInHand(state) ? draft.source : publishedSource(state);
}

/** Writes a source of a template as files. */
export function filesOfState(
  { template: { kind, name, alias } }: Pick<TemplateState, "template">,
  source: DraftSource,
): Record<string, string> {
  return filesOf({ kind, name, alias: alias ?? "", source });
}
