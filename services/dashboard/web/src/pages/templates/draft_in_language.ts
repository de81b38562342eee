import type { TemplateBody, TemplateSource } from "../../../../interface/templates.ts";
import { canonicalTag } from "../../parts/language_tag.ts";
import type { Draft } from "./use_draft.ts";

/** The parts of a draft that an editor of one language shows and changes. */
export type ShownDraft = Pick<Draft, "source" | "change">;

/**
 * Returns a draft as if the body of one of its languages were its own: changes go to that body. What all languages
 * share stays with the template.
 */
export function draftInLanguage<Whole extends ShownDraft>(draft: Whole, tag: string | null): Whole {
  const { source } = draft;
  const body = tag === null ? undefined : source.variants?.[tag];
  if (tag === null || body === undefined) return draft;
  const { invoice: _invoice, ...shared } = source;
  return {
    ...draft,
    source: { ...shared, ...body },
    change: (part) => draft.change(changeOfBody(source, { tag, part })),
  };
}

const FIELDS = ["subject", "html", "text", "filename", "invoice"] as const;

/** Returns the change of a source that changes the body of one of its languages. */
function changeOfBody(
  source: TemplateSource,
  { tag, part }: { tag: string; part: Partial<TemplateSource> },
): Partial<TemplateSource> {
  const rest = { ...part };
  const own: Record<string, unknown> = { ...source.variants?.[tag] };
  for (const field of FIELDS) {
    if (!(field in part)) continue;
    own[field] = part[field];
    delete rest[field];
  }
  return { ...rest, variants: { ...source.variants, [tag]: own as unknown as TemplateBody } };
}

/** Returns a source with a language that has a copy of the template's own body. */
export function withLanguage(source: TemplateSource, tag: string): Partial<TemplateSource> {
  const { subject, html, text, filename, invoice } = source;
  const copy = { subject, html, text, filename, ...(invoice === undefined ? {} : { invoice }) };
  return { variants: { ...source.variants, [tag]: copy } };
}

/** Returns a source without one of its languages. */
export function withoutLanguage(source: TemplateSource, tag: string): Partial<TemplateSource> {
  const { [tag]: _removed, ...variants } = source.variants ?? {};
  return { variants: Object.keys(variants).length === 0 ? undefined : variants };
}

/** Returns why a language cannot be added; null if it can. */
export function languageFault(source: TemplateSource, text: string): string | null {
  const tag = canonicalTag(text);
  if (tag === null) return "Enter a language tag such as de or pt-BR";
  if (/-[a-z\d]-/i.test(tag)) return "Enter the tag without extensions";
  const isThere = tag === canonicalTag(source.locale) || source.variants?.[tag] !== undefined;
  return isThere ? `The template already has ${tag}` : null;
}
