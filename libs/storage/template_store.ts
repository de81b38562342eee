import {
  aliasSchema,
  type EmailVersion,
  emailVersionSchema,
  type PageOptions,
  type PdfVersion,
  pdfVersionSchema,
  type Pinned,
  type PinnedAsset,
  type Template,
  type TemplateKind,
  type TemplateRead,
  templateSchema,
  type VariableDeclaration,
} from "@posthaste/contracts";
import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";
import { isDuplicateKey } from "./_duplicate_key.ts";
import { NameTakenError } from "./name_taken_error.ts";
import { templateIdOf, templateSummaries } from "./template_head.ts";

/** A published version of a template of a kind. */
export type VersionOf<K extends TemplateKind> = K extends "email" ? EmailVersion : PdfVersion;

interface PublicationBase {
  accountId: string;
  /** Id of the template to publish into; it must exist. */
  id?: number | undefined;
  /** Instead of the id: the template with this alias, or else a new one. With neither, a new one. */
  alias?: string | undefined;
  name: string;
  variables: VariableDeclaration[];
  /** The paths that its syntax trees read. @default unknown */
  reads?: TemplateRead[] | undefined;
  /** The files that it uses by name. @default none */
  assets?: PinnedAsset[] | undefined;
  /** Names of those that its own body uses. @default all */
  shows?: string[] | undefined;
  /** The partials and the brand in its parts. @default {[]} */
  includes?: Pinned[] | undefined;
  /** @default {"en"} */
  locale?: string | undefined;
  sourceHash: string;
  /** `_id` of the user. @default {null} */
  publishedBy?: string | null | undefined;
  /** Whether the version is stored for a test mail: no request uses it. @default {false} */
  isTest?: boolean | undefined;
}

/** The version to publish. */
export type Publication =
  & PublicationBase
  & (
    | Pick<EmailVersion, "kind" | "source" | "parts" | "variants">
    | Pick<PdfVersion, "kind" | "source" | "parts" | "variants"> & { page: PageOptions }
  );

/** The result of publishing. */
export interface Published {
  template: Template;
  version: EmailVersion | PdfVersion;
  /** `false` if the newest version already has the same source. */
  published: boolean;
}

/** A version without the author's source and its compiled parts. */
export type VersionSummary = Pick<
  EmailVersion | PdfVersion,
  "version" | "name" | "publishedAt" | "publishedBy" | "isTest"
>;

/** The operations on templates. */
export interface TemplateStore {
  /** Finds a template that is not archived by its id, as number or digits, or by its alias. */
  find(
    accountId: string,
    kind: TemplateKind,
    idOrAlias: string | number,
  ): Promise<Template | null>;
  /** Finds a published version. */
  findVersion<K extends TemplateKind>(
    accountId: string,
    kind: K,
    id: number,
    version: number,
  ): Promise<VersionOf<K> | null>;
  /** Lists the templates of a kind that are not archived by id. */
  list(accountId: string, kind: TemplateKind): Promise<Template[]>;
  /** Lists versions of a template, newest first; those for test mails are among them. */
  listVersions(
    template: Pick<Template, "accountId" | "kind" | "id">,
    page: { limit: number; before?: number | undefined },
  ): Promise<VersionSummary[]>;
  /**
   * Publishes a version, and creates the template if necessary. If the newest released version has the same
   * source, nothing changes. Two concurrent publishers get two versions. A version that was stored for a test
   * mail is published as a new version, because versions never change.
   *
   * @throws {Error} If there is no template with the id.
   */
  publish(publication: Publication): Promise<Published>;
}

/** Returns the operations on templates. */
export function templateStore(db: Db): TemplateStore {
  const { templates, versions } = collectionsOf(db);
  const { create: createTemplate } = templateSummaries(db);

  const findTemplate: TemplateStore["find"] = async (accountId, kind, idOrAlias) => {
    const key = String(idOrAlias);
    const found = /^[1-9]\d*$/.test(key)
      ? await templates.findOne({ _id: templateIdOf(accountId, kind, key) })
      : await templates.findOne({ accountId, kind, alias: key });
    const template = found === null ? null : templateSchema.parse(found);
    return template?.archivedAt === null ? template : null;
  };

  async function templateFor(publication: Publication): Promise<Template> {
    const { accountId, kind, id, alias } = publication;
    if (id !== undefined) {
      const template = await findTemplate(accountId, kind, id);
      if (template !== null) return template;
      throw new Error(`Cannot publish ${kind} template "${id}": no such id`);
    }
    if (alias === undefined) return createTemplate(publication);
    const key = aliasSchema.parse(alias);
    try {
      return await findTemplate(accountId, kind, key) ?? await createTemplate(publication);
    } catch (error) {
      const isTaken = error instanceof NameTakenError;
      const winner = isTaken ? await findTemplate(accountId, kind, key) : null;
      if (winner === null) throw error;
      return winner;
    }
  }

  async function insertVersion(
    publication: Publication,
    template: Template,
  ): Promise<{ version: EmailVersion | PdfVersion; published: boolean }> {
    const { accountId, kind } = template;
    const ofTemplate = { accountId, kind, templateId: template.id };
    const newestOf = (filter: object) =>
      versions.findOne({ ...ofTemplate, ...filter }, { sort: { version: -1 } });
    for (;;) {
      const newest = await newestOf({});
      const isReleasedToo = newest?.isTest && !publication.isTest;
      const latest = isReleasedToo ? await newestOf({ isTest: { $ne: true } }) : newest;
      if (latest?.sourceHash === publication.sourceHash) {
        return { version: parseVersion(latest), published: false };
      }
      const version = versionOf(publication, template, (newest?.version ?? 0) + 1);
      try {
        await versions.insertOne(version);
        return { version, published: true };
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
    }
  }

  return {
    find: findTemplate,
    async findVersion<K extends TemplateKind>(
      accountId: string,
      kind: K,
      id: number,
      version: number,
    ) {
      const found = await versions.findOne({ _id: `${accountId}/${kind}/${id}/${version}` });
      return found === null ? null : parseVersion(found) as VersionOf<K>;
    },
    async list(accountId, kind) {
      const found = await templates.find({ accountId, kind, archivedAt: null }).sort({ id: 1 })
        .toArray();
      return found.map((template) => templateSchema.parse(template));
    },
    async listVersions({ accountId, kind, id }, { limit, before }) {
      const found = await versions.find({
        ...{ accountId, kind, templateId: id },
        ...(before === undefined ? {} : { version: { $lt: before } }),
      }).sort({ version: -1 }).limit(limit).project<VersionSummary>({
        ...{ _id: 0, version: 1, name: 1, publishedAt: 1, publishedBy: 1, isTest: 1 },
      }).toArray();
      return found.map((head) => ({ ...head, ...withDefaults.parse(head) }));
    },
    async publish(publication) {
      const template = await templateFor(publication);
      const { version, published } = await insertVersion(publication, template);
      if (publication.isTest) return { template, version, published };
      // Also if the version already existed: its writer may have been lost before this step.
      await templates.updateOne({
        _id: template._id,
        $or: [{ publishedVersion: null }, { publishedVersion: { $lt: version.version } }],
      }, {
        $set: {
          publishedVersion: version.version,
          name: version.name,
          updatedAt: version.publishedAt,
        },
      });
      const updated = await templates.findOne({ _id: template._id });
      return { template: templateSchema.parse(updated), version, published };
    },
  };
}

/** Fields that old versions lack. */
const withDefaults = pdfVersionSchema.pick({ publishedBy: true, isTest: true });

/** Returns the document of a version to publish. */
export function versionOf(
  publication: Publication,
  template: Pick<Template, "_id" | "id">,
  version: number,
): EmailVersion | PdfVersion {
  const { alias: _alias, id: _templateId, ...content } = publication;
  const document = {
    ...content,
    _id: `${template._id}/${version}`,
    templateId: template.id,
    version,
    publishedAt: new Date(),
  };
  return parseVersion(document);
}

function parseVersion(document: { kind: TemplateKind }): EmailVersion | PdfVersion {
  return document.kind === "email"
    ? emailVersionSchema.parse(document)
    : pdfVersionSchema.parse(document);
}
