import {
  partialSchema,
  type Pinned,
  type StoredPartial,
  type Template,
} from "@posthaste/contracts";
import type { Db } from "mongodb";
import { applyAll, type TemplateChange, type TemplateChanged } from "./bundle_store.ts";
import { collectionsOf } from "./_collections.ts";
import { isDuplicateKey } from "./_duplicate_key.ts";
import { partialFilter as filterOf, type PartialKey, usersOf } from "./_partial_changes.ts";
import { PlanOutdatedError } from "./plan_outdated_error.ts";
import { oneAtATime } from "./_one_at_a_time.ts";

/** A change of a partial's draft. */
export interface PartialEdit extends PartialKey {
  source: string;
  /** The revision that was changed; 0 for a new partial. */
  revision: number;
  updatedAt: Date;
  updatedBy: string | null;
}

/** The publication of a partial, with the versions of templates that have it. */
export interface PartialPublication extends PartialKey {
  /** Of the draft to publish. */
  revision: number;
  /** The version that it becomes. */
  version: number;
  /** What it includes itself, by name. */
  calls: string[];
  changes: readonly (TemplateChange & { template: Template })[];
  at: Date;
}

/** The operations on partials and the brand of an account. */
export interface PartialStore {
  find(key: PartialKey): Promise<StoredPartial | null>;
  /** Lists all by name, without their sources, which are empty. */
  list(accountId: string): Promise<StoredPartial[]>;
  /** Finds those of some names that are published. */
  published(accountId: string, names: readonly string[]): Promise<Pinned[]>;
  /** Writes a draft, if it still has the revision; returns `null` if another change came first. */
  change(edit: PartialEdit): Promise<StoredPartial | null>;
  /** Lists the templates whose published version has a partial, archived ones left out. */
  listUsers(key: PartialKey): Promise<Template[]>;
  /** Lists the names of the published partials that include a partial. */
  listCallers(key: PartialKey): Promise<string[]>;
  /**
   * Publishes a draft and versions of the templates that have it, all or none.
   * @throws {PlanOutdatedError} If the draft or one of the templates has changed, if another template has it now,
   * or if it would include itself.
   */
  publish(publication: PartialPublication): Promise<TemplateChanged[]>;
  /**
   * Removes a partial. Returns whether it existed.
   * @throws {PlanOutdatedError} If something published has it.
   */
  remove(key: PartialKey): Promise<boolean>;
}

/** Returns the operations on partials. */
export function partialStore(db: Db): PartialStore {
  const { partials } = collectionsOf(db);
  return {
    async find(key) {
      const found = await partials.findOne(filterOf(key));
      return found === null ? null : partialSchema.parse(found);
    },
    async list(accountId) {
      const found = await partials.find({ accountId }).sort({ name: 1 })
        .project({ "draft.source": 0, "published.source": 0 }).toArray();
      return found.map(({ draft, published, ...rest }) =>
        partialSchema.parse({
          ...rest,
          draft: { ...draft, source: "" },
          published: published === null ? null : { ...published, source: "" },
        })
      );
    },
    async published(accountId, names) {
      const wanted = { accountId, name: { $in: [...names] }, published: { $ne: null } };
      const found = await partials.find(wanted).toArray();
      return found.flatMap(({ name, published }) =>
        published === null ? [] : [{ name, version: published.version, source: published.source }]
      );
    },
    async change({ accountId, name, revision, ...written }) {
      const draft = { ...written, revision: revision + 1 };
      const key = filterOf({ accountId, name });
      if (revision === 0) {
        const created = partialSchema.parse({ ...key, name, draft, published: null });
        try {
          await partials.insertOne(created);
          return created;
        } catch (error) {
          if (isDuplicateKey(error)) return null;
          throw error;
        }
      }
      const found = await partials.findOneAndUpdate(
        { ...key, "draft.revision": revision },
        { $set: { draft } },
        { returnDocument: "after" },
      );
      return found === null ? null : partialSchema.parse(found);
    },
    listUsers: (key) => usersOf(db, key),
    async listCallers({ accountId, name }) {
      const found = await partials.find({ accountId, "published.calls": name })
        .project<{ name: string }>({ name: 1 }).sort({ name: 1 }).toArray();
      return found.map((caller) => caller.name);
    },
    async publish({ accountId, name, revision, version, calls, changes, at }) {
      return await oneAtATime(db, { lock: `${accountId}/bundle` }, async (session) => {
        const numbered = changes.map((change) => [change, change.template.id] as const);
        const publication = { name, revision, publish: { version, calls } };
        const all = { numbered, partials: [publication] };
        return await applyAll(db, all, { accountId, at, session });
      }).catch((error: unknown) => {
        throw isDuplicateKey(error) ? new PlanOutdatedError() : error;
      });
    },
    async remove(key) {
      const { accountId, name } = key;
      return await oneAtATime(db, { lock: `${accountId}/bundle` }, async (session) => {
        const users = await usersOf(db, key, session);
        const caller = await partials.findOne({ accountId, "published.calls": name }, { session });
        if (users.length > 0 || caller !== null) throw new PlanOutdatedError();
        return (await partials.deleteOne(filterOf(key), { session })).deletedCount > 0;
      });
    },
  };
}
