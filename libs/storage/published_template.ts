import {
  type EmailVersion,
  type PdfVersion,
  readsOfBodies,
  type Template,
  type TemplateKind,
  type TemplateRead,
} from "@posthaste/contracts";
import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";
import { type NumberedPage, numbersOf } from "./numbered_page.ts";
import { templateStore } from "./template_store.ts";

/** A template that requests can name, with the facts about its newest version. */
export type PublishedTemplate =
  & Pick<Template, "id" | "alias" | "name">
  & Pick<EmailVersion | PdfVersion, "version" | "publishedAt" | "locale" | "variables" | "reads">
  & {
    /** The tags of its language variants. */
    variants: string[];
  };

/** Look-ups of templates for programs, without unpublished ones. */
export interface PublishedTemplates {
  /** Lists the published templates of a kind that are not archived, by their numbers. */
  listPublished(
    accountId: string,
    kind: TemplateKind,
    page: NumberedPage,
  ): Promise<PublishedTemplate[]>;
  /** Returns the languages of each published template of a kind that is not archived, by its number. */
  listLanguages(accountId: string, kind: TemplateKind): Promise<Map<number, string[]>>;
  /** Finds a published template that is not archived by its id, as number or digits, or its alias. */
  findPublished(
    accountId: string,
    kind: TemplateKind,
    idOrAlias: string | number,
  ): Promise<PublishedTemplate | null>;
}

type Head = Pick<Template, "_id" | "id" | "alias" | "name"> & { publishedVersion: number };
type VersionPart =
  & Pick<PublishedTemplate, "publishedAt" | "variables" | "reads">
  & Partial<Pick<PublishedTemplate, "locale">>
  & { _id: string; variants: { tag: string; reads?: TemplateRead[] }[] };

interface LanguagePart extends Partial<Pick<PublishedTemplate, "locale">> {
  templateId: number;
  tags: string[];
}

const HEAD = { publishedAt: 1, locale: 1, variables: 1, reads: 1 };
const VARIANTS = { $objectToArray: { $ifNull: ["$variants", {}] } };
const KEYS = { $map: { input: VARIANTS, in: "$$this.k" } };
const TAGS = { ...HEAD, variants: { $map: { input: VARIANTS, in: { tag: "$$this.k" } } } };
/** Reads may be large: lists leave out those of variants. */
const WHOLE = {
  ...HEAD,
  variants: { $map: { input: VARIANTS, in: { tag: "$$this.k", reads: "$$this.v.reads" } } },
};

/** Returns the look-ups of published templates. */
export function publishedTemplates(db: Db): PublishedTemplates {
  const { templates, versions } = collectionsOf(db);
  const { find: findTemplate } = templateStore(db);

  /** Adds versions. A summary without its version is left out: a restore may have lost it. */
  async function withVersions(
    accountId: string,
    heads: readonly Head[],
    projection: typeof TAGS,
  ): Promise<PublishedTemplate[]> {
    const ids = heads.map(versionIdOf);
    const found = await versions.find({ accountId, _id: { $in: ids } })
      .project<VersionPart>(projection).toArray();
    const byId = new Map(found.map((version) => [version._id, version]));
    return heads.flatMap((head) => {
      const version = byId.get(versionIdOf(head));
      return version === undefined ? [] : [publishedOf(head, version)];
    });
  }

  return {
    async listPublished(accountId, kind, page) {
      const found = await templates.find({
        ...{ accountId, kind, archivedAt: null, publishedVersion: { $gt: 0 } },
        id: numbersOf(page),
      }).sort({ id: 1 }).limit(page.limit)
        .project<Head>({ id: 1, alias: 1, name: 1, publishedVersion: 1 }).toArray();
      return await withVersions(accountId, found, TAGS);
    },
    async listLanguages(accountId, kind) {
      const heads = await templates.find({
        ...{ accountId, kind, archivedAt: null, publishedVersion: { $gt: 0 } },
      }).project<Head>({ id: 1, publishedVersion: 1 }).toArray();
      const found = await versions.find({ accountId, _id: { $in: heads.map(versionIdOf) } })
        .project<LanguagePart>({ templateId: 1, locale: 1, tags: KEYS }).toArray();
      return new Map(
        found.map(({ templateId, locale = "en", tags }) => [templateId, [locale, ...tags.sort()]]),
      );
    },
    async findPublished(accountId, kind, idOrAlias) {
      const found = await findTemplate(accountId, kind, idOrAlias);
      if (found === null || found.publishedVersion === null) return null;
      const [published] = await withVersions(accountId, [found as Head], WHOLE);
      return published ?? null;
    },
  };
}

function versionIdOf({ _id, publishedVersion }: Head): string {
  return `${_id}/${publishedVersion}`;
}

function publishedOf(
  { id, alias, name, publishedVersion: version }: Head,
  { publishedAt, locale = "en", variables, reads, variants }: VersionPart,
): PublishedTemplate {
  const tags = variants.map(({ tag }) => tag).sort();
  const published = { id, alias, name, version, publishedAt, locale, variants: tags, variables };
  if (reads === undefined) return published;
  return { ...published, reads: readsOfBodies([reads, ...variants.map((one) => one.reads ?? [])]) };
}
