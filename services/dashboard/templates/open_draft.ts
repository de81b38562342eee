import {
  type DraftSource,
  pageOptionsSchema,
  sourceOfVersion,
  type Template,
  type TemplateDraft,
  type TemplateKind,
} from "@posthaste/contracts";
import type { StorePart } from "@posthaste/storage";

/** What drafts need. */
export type DraftDeps = StorePart<
  "drafts.find" | "drafts.change" | "drafts.create" | "templates.findVersion"
>;

/**
 * Returns the draft of a template. If there is none, creates it from the published version. A draft
 * without changes by people follows later versions that the command line published.
 */
export async function openDraft(template: Template, store: DraftDeps): Promise<TemplateDraft> {
  const { _id, accountId, kind, publishedVersion } = template;
  const found = await store.drafts.find(template);
  if (found !== null && (found.base === null || found.base === publishedVersion)) return found;
  const published = publishedVersion === null
    ? null
    : await store.templates.findVersion(accountId, kind, template.id, publishedVersion);
  const made = {
    ...{ _id, accountId, kind, base: published === null ? null : published.version },
    source: published === null
      ? emptySource(kind)
      : sourceOfVersion(published, found?.source.sample),
    updatedAt: published?.publishedAt ?? template.updatedAt,
    updatedBy: published?.publishedBy ?? null,
  };
  if (found === null) return await store.drafts.create(made);
  const changed = await store.drafts.change({ ...made, revision: found.revision });
  return changed ?? await store.drafts.find(template) ?? found;
}

/** Returns the source of a new template. */
export function emptySource(kind: TemplateKind): DraftSource {
  const page = kind === "pdf" ? pageOptionsSchema.parse({ missingGlyphs: "fail" }) : null;
  const filename = kind === "pdf" ? "document.pdf" : "";
  return {
    subject: "",
    html: "",
    text: "",
    filename,
    variables: [],
    locale: "en",
    page,
    sample: {},
  };
}
