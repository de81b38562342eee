import {
  type DraftSource,
  pageOptionsSchema,
  sourceOfVersion,
  type Template,
  type TemplateDraft,
  type TemplateKind,
} from "@posthaste/contracts";
import type { Store } from "@posthaste/storage";

/** What drafts are opened with. */
export type DraftDeps = Pick<
  Store,
  "findDraft" | "createDraft" | "changeDraft" | "findVersion"
>;

/**
 * Returns the draft of a template. One without gets one made of what is published; one that nobody has
 * changed follows what was published since, from the command line.
 */
export async function openDraft(template: Template, store: DraftDeps): Promise<TemplateDraft> {
  const { _id, accountId, kind, publishedVersion } = template;
  const found = await store.findDraft(template);
  if (found !== null && (found.base === null || found.base === publishedVersion)) return found;
  const published = publishedVersion === null
    ? null
    : await store.findVersion(accountId, kind, template.id, publishedVersion);
  const made = {
    ...{ _id, accountId, kind, base: published === null ? null : published.version },
    source: published === null
      ? emptySource(kind)
      : sourceOfVersion(published, found?.source.sample),
    updatedAt: published?.publishedAt ?? template.updatedAt,
    updatedBy: published?.publishedBy ?? null,
  };
  if (found === null) return await store.createDraft(made);
  const changed = await store.changeDraft({ ...made, revision: found.revision });
  return changed ?? await store.findDraft(template) ?? found;
}

/** What a template is before anybody wrote anything. */
export function emptySource(kind: TemplateKind): DraftSource {
  const page = kind === "pdf" ? pageOptionsSchema.parse({}) : null;
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
