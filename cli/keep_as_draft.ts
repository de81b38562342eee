import type { DraftSource, Template } from "@posthaste/contracts";
import type { StorePart } from "@posthaste/storage";
import type { ReadyTemplate } from "./check_templates.ts";

/** The store of drafts. */
export type DraftKeeper = StorePart<
  | "drafts.find"
  | "drafts.change"
  | "drafts.create"
  | "templates.find"
  | "templates.findVersion"
  | "templates.create"
>;

/** Returns whether a template is published as it is. */
export async function isPublished(
  accountId: string,
  { kind, alias, sourceHash }: ReadyTemplate,
  { templates: { find: findTemplate, findVersion } }: DraftKeeper,
): Promise<boolean> {
  const template = await findTemplate(accountId, kind, alias);
  if (template === null || template.publishedVersion === null) return false;
  const version = await findVersion(accountId, kind, template.id, template.publishedVersion);
  return version?.sourceHash === sourceHash;
}

/**
 * Keeps a template that may not be published as the draft of its alias. A draft that was changed in the
 * dashboard stays. Returns its template, and whether the draft equals the given one.
 */
export async function keepAsDraft(
  accountId: string,
  { kind, alias, name, draft }: ReadyTemplate,
  store: DraftKeeper,
): Promise<{ template: Template; kept: boolean }> {
  const template = await store.templates.find(accountId, kind, alias) ??
    await store.templates.create({ accountId, kind, name, alias });
  const edit = { accountId, base: null, source: draft, updatedAt: new Date(), updatedBy: null };
  const made = await store.drafts.create({ _id: template._id, kind, ...edit });
  if (isSame(made.source, draft)) return { template, kept: true };
  if (made.base === null && made.updatedBy !== null) return { template, kept: false };
  const changed = await store.drafts.change({
    ...edit,
    _id: template._id,
    revision: made.revision,
  });
  return { template, kept: changed !== null };
}

/** Updates the draft of an earlier import to the version that an import has published since. */
export async function followPublished(
  template: Template,
  { source, base }: { source: DraftSource; base: number },
  { drafts: { find: findDraft, change: changeDraft } }: DraftKeeper,
): Promise<void> {
  const draft = await findDraft(template);
  if (draft === null || draft.base !== null || draft.updatedBy !== null) return;
  await changeDraft({ ...draft, source, base, updatedAt: new Date() });
}

function isSame(one: DraftSource, other: DraftSource): boolean {
  const text = (source: DraftSource) => JSON.stringify(Object.entries(source).sort());
  return text(one) === text(other);
}
