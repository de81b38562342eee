import {
  type Integration,
  missingLanguages,
  type Template,
  type TemplateDraft,
  type TemplateKind,
} from "@posthaste/contracts";
import type { DraftSummary, Store, StorePart, VersionSummary } from "@posthaste/storage";
import type { TemplateRow, TemplateView, VersionRow } from "../interface/templates.ts";
import type { LastUses } from "./last_uses.ts";
import { openDraft } from "./open_draft.ts";

/** What views of templates need. */
export interface ViewDeps {
  store: Store;
  lastUses: LastUses;
}

/** Lists the templates of a kind, by id. */
export async function templateRows(
  accountId: string,
  kind: TemplateKind,
  { store, lastUses }: ViewDeps,
): Promise<TemplateRow[]> {
  const [templates, drafts, uses, languagesOf] = await Promise.all([
    store.templates.list(accountId, kind),
    store.drafts.list(accountId, kind),
    lastUses(accountId),
    languagesIn(accountId, store),
  ]);
  const draftOf = new Map(drafts.map((draft) => [draft._id, draft]));
  const nameOf = await namesOf(drafts.map(({ updatedBy }) => updatedBy), store);
  return templates.map((template) =>
    rowOf(template, {
      draft: draftOf.get(template._id),
      usedAt: uses[kind].get(template.id),
      nameOf,
      languagesOf,
    })
  );
}

/** Returns a template as its editor needs it. */
export async function templateView(
  template: Template,
  { store, lastUses }: ViewDeps,
): Promise<TemplateView> {
  const { accountId, kind, id } = template;
  const [draft, uses, integrations] = await Promise.all([
    openDraft(template, store),
    lastUses(accountId),
    store.integrations.list(accountId),
  ]);
  const integration = integrationForExamples(integrations);
  const example = {
    integrationId: integration?.id ?? null,
    sender: integration?.senders[0] ?? null,
    mailedWith: kind === "pdf" ? uses.mailedWith.get(id) ?? null : null,
  };
  return await viewOf(template, draft, { store, example, usedAt: uses[kind].get(id) });
}

/** Chooses the integration for examples: the first that can send now, else the first. */
export function integrationForExamples(
  integrations: readonly Integration[],
): Integration | undefined {
  return integrations.find(({ suspended }) => suspended === null) ?? integrations[0];
}

async function viewOf(
  template: Template,
  draft: TemplateDraft,
  { store, example, usedAt }: {
    store: Store;
    example: TemplateView["example"];
    usedAt: Date | undefined;
  },
): Promise<TemplateView> {
  const [nameOf, languagesOf] = await Promise.all([
    namesOf([draft.updatedBy], store),
    languagesIn(template.accountId, store),
  ]);
  return {
    ...rowOf(template, { draft, usedAt, nameOf, languagesOf }),
    kind: template.kind,
    draft: draft.source,
    revision: draft.revision,
    example,
  };
}

/** Returns lines of a template's history. */
export async function versionRows(
  template: Template,
  versions: readonly VersionSummary[],
  store: StorePart<"people.find">,
): Promise<VersionRow[]> {
  const nameOf = await namesOf(versions.map(({ publishedBy }) => publishedBy), store);
  return versions.map(({ version, name, publishedAt, publishedBy, isTest }) => ({
    ...{ version, name, publishedAt: publishedAt.toISOString(), isTest },
    publishedBy: nameOf(publishedBy),
    isCurrent: version === template.publishedVersion,
  }));
}

interface RowParts {
  draft: DraftSummary | undefined;
  usedAt: Date | undefined;
  nameOf: NameOf;
  languagesOf: LanguagesOf;
}

function rowOf(
  template: Template,
  { draft, usedAt, nameOf, languagesOf }: RowParts,
): TemplateRow {
  const { id, alias, name, publishedVersion, updatedAt } = template;
  const isChanged = draft !== undefined && draft.base === null;
  const newest = draft !== undefined && draft.updatedAt > updatedAt ? draft.updatedAt : updatedAt;
  return {
    ...{ id, alias, name, publishedVersion },
    hasChanges: publishedVersion === null || isChanged,
    updatedAt: newest.toISOString(),
    updatedBy: nameOf(draft?.updatedBy ?? null),
    lastUsedAt: usedAt?.toISOString() ?? null,
    ...languagesOf(template),
  };
}

/** Each is compared with those of every template. */
const MAX_LANGUAGES = 1000;

type LanguagesOf = (
  template: Pick<Template, "kind" | "id">,
) => Pick<TemplateRow, "languages" | "missingLanguages">;

/** Looks up the languages of all published templates of an account. */
async function languagesIn(
  accountId: string,
  { templates: { listLanguages } }: StorePart<"templates.listLanguages">,
): Promise<LanguagesOf> {
  const [email, pdf] = await Promise.all([
    listLanguages(accountId, "email"),
    listLanguages(accountId, "pdf"),
  ]);
  const all = new Set([...email.values(), ...pdf.values()].flat().slice(0, MAX_LANGUAGES));
  return ({ kind, id }) => {
    const languages = { email, pdf }[kind].get(id) ?? [];
    return { languages, missingLanguages: missingLanguages(languages, all) };
  };
}

type NameOf = (userId: string | null) => string | null;

/** Looks up people's names; deleted users have none. */
async function namesOf(
  userIds: readonly (string | null)[],
  { people: { find: findUser } }: StorePart<"people.find">,
): Promise<NameOf> {
  const wanted = [...new Set(userIds)].filter((id) => id !== null);
  const users = await Promise.all(wanted.map((id) => findUser(id)));
  const names = new Map(users.flatMap((user) => user === null ? [] : [[user._id, user.name]]));
  return (userId) => userId === null ? null : names.get(userId) ?? null;
}
