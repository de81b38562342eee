import { differingFiles, filesOf, type NamedSource } from "@posthaste/bundle";
import type { BundleChange, DraftSource, TemplateDraft } from "@posthaste/contracts";
import type { CompiledParts } from "../templates/ask_renderer.ts";
import { changedDraft, isInHand, publishedSource, type TemplateState } from "./template_state.ts";

/** What applying a change must know of the current state. */
export interface KnownState extends Pick<TemplateState, "template"> {
  draft: Pick<TemplateDraft, "revision" | "base"> | null;
}

/** The planned change of one template. */
export interface PlannedChange extends BundleChange {
  /** The wanted content; null for a template to archive. */
  wanted: NamedSource | null;
  /** The current state; null for a new template. */
  state: KnownState | null;
  /** Whether its draft is replaced. */
  replacesDraft: boolean;
  /** The version that the draft then equals, if none is published with it. */
  draftBase: number | null;
}

/** A change with the content that it publishes. */
export interface ReadyChange extends PlannedChange {
  compiled: CompiledParts | undefined;
}

/**
 * Plans the change of one template; returns null if nothing changes. Published content is not
 * published again, and a person's unpublished draft stays.
 *
 * @param state The current state; null if there is no such template
 */
export function planChange(
  wanted: NamedSource,
  state: TemplateState | null,
  { publish }: { publish: boolean },
): PlannedChange | null {
  const { kind, alias } = wanted;
  const common = { kind, alias, wanted, state, draftBase: null, overwritesDraft: false };
  if (state === null) {
    const files = differingFiles(filesOf(wanted), {});
    return { ...common, change: "create", from: null, publish, files, replacesDraft: true };
  }
  const { publishedVersion: from } = state.template;
  const differing = openComparison(wanted, state);
  const published = publishedSource(state);
  const isLive = published !== null && differing.content(published).length === 0;
  const update = { ...common, from, change: "update" } as const;
  const overwrites = () => {
    const draft = changedDraft(state);
    return draft !== null && isInHand(state) && differing.source(draft.source).length > 0;
  };
  if (publish && !isLive) {
    const files = differing.all(published);
    const overwritesDraft = overwrites();
    return { ...update, publish: true, files, replacesDraft: true, overwritesDraft };
  }
  if (isLive && isInHand(state)) {
    const files = differing.name();
    return files.length === 0 ? null : { ...update, publish: false, files, replacesDraft: false };
  }
  const current = changedDraft(state)?.source ?? published ?? state.draft?.source ?? null;
  const files = differing.all(current);
  if (files.length === 0) return null;
  const replacesDraft = current === null || differing.source(current).length > 0;
  return {
    ...{ ...update, publish: false, files, replacesDraft, draftBase: isLive ? from : null },
    overwritesDraft: replacesDraft && overwrites(),
  };
}

/** Returns a change without the current contents: those of all templates together may be large. */
export function withoutContents<Change extends PlannedChange>(change: Change): Change {
  if (change.state === null) return change;
  const { template, draft } = change.state;
  const known = draft && { revision: draft.revision, base: draft.base };
  return { ...change, state: { template, draft: known } };
}

/** Plans the archiving of a template that the files lack. */
export function planArchive(state: TemplateState): PlannedChange {
  const { kind, alias, publishedVersion: from } = state.template;
  return {
    ...{ kind, alias: alias ?? "", change: "archive", from, publish: false, files: [] },
    ...{ wanted: null, state, replacesDraft: false, draftBase: null },
    overwritesDraft: isInHand(state),
  };
}

/** Returns comparisons of a source with the wanted one: of all files, or of some of them. */
function openComparison(wanted: NamedSource, { template: { name } }: TemplateState) {
  const between = (one: NamedSource, other: Partial<NamedSource>) =>
    differingFiles(filesOf(one), filesOf({ ...one, ...other }));
  const bare = (source: DraftSource): DraftSource => ({ ...source, sample: {} });
  return {
    all: (source: DraftSource | null) =>
      source === null ? differingFiles(filesOf(wanted), {}) : between(wanted, { name, source }),
    /** Without the name. */
    source: (source: DraftSource) => between(wanted, { source }),
    /** Without the name and the sample: the parts of a version. */
    content: (source: DraftSource) =>
      between({ ...wanted, source: bare(wanted.source) }, { source: bare(source) }),
    name: () => between(wanted, { name }),
  };
}
