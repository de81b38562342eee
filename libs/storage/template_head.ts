import { type Template, type TemplateKind, templateSchema } from "@posthaste/contracts";
import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";
import { isDuplicateKey } from "./_duplicate_key.ts";
import { nextNumber } from "./_next_number.ts";
import { NameTakenError } from "./name_taken_error.ts";

/** The names of a new template. */
export type NewTemplate =
  & Pick<Template, "accountId" | "kind" | "name">
  & { alias?: string | null | undefined };

/** Operations on templates apart from publishing. */
export interface TemplateSummaries {
  /**
   * Creates a template without any version.
   * @throws {NameTakenError} If another template has the alias.
   */
  create(template: NewTemplate): Promise<Template>;
  /**
   * Changes the names of a template. Fields that are left out stay. Returns `null` if it does not exist.
   * @throws {NameTakenError} If another template has the alias.
   */
  update(
    template: Pick<Template, "_id" | "accountId">,
    changes: Partial<Pick<Template, "name" | "alias">>,
  ): Promise<Template | null>;
  /**
   * Archives a template: from now on it is not found, and its alias is free. Its versions stay, for mail that
   * was accepted before. Returns whether it existed.
   */
  archive(template: Pick<Template, "_id" | "accountId">, at: Date): Promise<boolean>;
}

/** Returns the operations on summaries of templates. */
export function templateSummaries(db: Db): TemplateSummaries {
  const { templates, counters } = collectionsOf(db);
  const nameSchema = templateSchema.pick({ name: true });
  const aliasSchema = templateSchema.pick({ alias: true });
  return {
    async create({ accountId, kind, name, alias = null }) {
      const id = await nextNumber(counters, `${accountId}/${kind}`);
      const createdAt = new Date();
      const template = templateSchema.parse({
        _id: templateIdOf(accountId, kind, id),
        accountId,
        kind,
        id,
        alias,
        name,
        publishedVersion: null,
        createdAt,
        updatedAt: createdAt,
      });
      await unlessTaken(alias, () => templates.insertOne(template));
      return template;
    },
    async update({ _id, accountId }, changes) {
      const checked = {
        ...(changes.name === undefined ? {} : nameSchema.parse(changes)),
        ...(changes.alias === undefined ? {} : aliasSchema.parse(changes)),
      };
      const found = await unlessTaken(
        changes.alias,
        () =>
          templates.findOneAndUpdate(
            { _id, accountId, archivedAt: null },
            { $set: { ...checked, updatedAt: new Date() } },
            { returnDocument: "after" },
          ),
      );
      return found === null ? null : templateSchema.parse(found);
    },
    async archive({ _id, accountId }, at) {
      const result = await templates.updateOne(
        { _id, accountId, archivedAt: null },
        { $set: { archivedAt: at, alias: null, updatedAt: at } },
      );
      return result.modifiedCount === 1;
    },
  };
}

/** Returns a template's `_id`. */
export function templateIdOf(accountId: string, kind: TemplateKind, id: number | string): string {
  return `${accountId}/${kind}/${id}`;
}

async function unlessTaken<T>(
  alias: string | null | undefined,
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw isDuplicateKey(error) ? new NameTakenError("template", alias ?? "") : error;
  }
}
