import { type Template, type TemplateKind, templateSchema } from "@posthaste/contracts";
import type { Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";
import { isDuplicateKey } from "./_duplicate_key.ts";
import { nextNumber } from "./_next_number.ts";
import { NameTakenError } from "./name_taken_error.ts";

/** What a new template is called. */
export type NewTemplate =
  & Pick<Template, "accountId" | "kind" | "name">
  & { alias?: string | null | undefined };

/** What can be done with templates apart from publishing into them. */
export interface TemplateSummaries {
  /**
   * Creates a template without any version.
   * @throws {NameTakenError} If another has the alias.
   */
  create(template: NewTemplate): Promise<Template>;
  /**
   * Changes what a template is called; what is left out stays. `null` if there is none.
   * @throws {NameTakenError} If another has the alias.
   */
  update(
    template: Pick<Template, "_id" | "accountId">,
    changes: Partial<Pick<Template, "name" | "alias">>,
  ): Promise<Template | null>;
  /**
   * Takes a template out of use: from now on none finds it, and its alias is free. Its versions stay,
   * for the mail that was accepted before. Gives whether there was one.
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
