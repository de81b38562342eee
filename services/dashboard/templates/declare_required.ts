import type { FoundVariable, Template, TemplateDraft } from "@posthaste/contracts";
import type { StorePart } from "@posthaste/storage";
import { changedMeanwhile } from "./publish_draft.ts";

/** A draft, and the renderer's findings. */
export interface RenderedDraft {
  template: Template;
  draft: TemplateDraft;
  rendering: Found & { variants?: Readonly<Record<string, Found>> };
}

interface Found {
  variables: readonly FoundVariable[];
}

/**
 * Declares the variables that every message of a new template, in any language, prints as required, unless its author
 * has declared them. A published template stays unchanged: requests rely on it.
 *
 * @throws {HttpError} `conflict` if another user changed the draft meanwhile.
 */
export async function declareRequired(
  { template, draft, rendering }: RenderedDraft,
  { drafts: { change: changeDraft } }: StorePart<"drafts.change">,
): Promise<TemplateDraft> {
  if (template.publishedVersion !== null) return draft;
  const declared = new Set(draft.source.variables.map(({ name }) => name));
  const bodies = [rendering, ...Object.values(rendering.variants ?? {})].map(printedBy);
  const printed = [...bodies[0] ?? []]
    .filter((name) => !declared.has(name) && bodies.every((body) => body.has(name)))
    .map((name) => ({ name, required: true }));
  if (printed.length === 0) return draft;
  const variables = [...draft.source.variables, ...printed];
  const changed = await changeDraft({ ...draft, source: { ...draft.source, variables } });
  if (changed === null) throw changedMeanwhile();
  return changed;
}

/** Returns the names of the variables that every message with a body prints. */
function printedBy({ variables }: Found): Set<string> {
  return new Set(variables.filter(({ always }) => always === true).map(({ name }) => name));
}
