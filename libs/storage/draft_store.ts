import {
  type Template,
  type TemplateDraft,
  templateDraftSchema,
  type TemplateKind,
} from "@posthaste/contracts";
import type { Db } from "mongodb";
import { collectionsOf, type StoredDraft } from "./_collections.ts";
import { isDuplicateKey } from "./_duplicate_key.ts";

/** A draft without its source, which may weigh a megabyte. */
export type DraftSummary = Omit<TemplateDraft, "source">;

/** A change of a draft. */
export interface DraftEdit
  extends Pick<TemplateDraft, "_id" | "accountId" | "source" | "base" | "updatedAt" | "updatedBy"> {
  /** The revision that was changed. */
  revision: number;
}

/** The operations on drafts of templates. */
export interface DraftStore {
  find(template: Pick<Template, "_id" | "accountId">): Promise<TemplateDraft | null>;
  /** Creates a draft. If there is one already, returns that and writes nothing. */
  create(draft: Omit<TemplateDraft, "revision">): Promise<TemplateDraft>;
  /** Changes a draft, if it still has the revision; returns `null` if another change came first. */
  change(edit: DraftEdit): Promise<TemplateDraft | null>;
  /** Notes the published version that a draft equals, if the draft still has the revision. */
  noteBase(
    draft: Pick<TemplateDraft, "_id" | "accountId" | "revision">,
    base: number,
  ): Promise<void>;
  /** Lists the drafts of a kind, in no order. */
  list(accountId: string, kind: TemplateKind): Promise<DraftSummary[]>;
}

/** Returns the operations on drafts. */
export function draftStore(db: Db): DraftStore {
  const { drafts } = collectionsOf(db);

  const findDraft: DraftStore["find"] = async ({ _id, accountId }) => {
    const found = await drafts.findOne({ _id, accountId });
    return found === null ? null : toDraft(found);
  };

  return {
    find: findDraft,
    async create(draft) {
      const created = templateDraftSchema.parse({ ...draft, revision: 1 });
      try {
        await drafts.insertOne(toStored(created));
        return created;
      } catch (error) {
        const existing = isDuplicateKey(error) ? await findDraft(draft) : null;
        if (existing === null) throw error;
        return existing;
      }
    },
    async change({ _id, accountId, revision, source, ...changes }) {
      const found = await drafts.findOneAndUpdate(
        { _id, accountId, revision },
        { $set: { ...changes, source: JSON.stringify(source) }, $inc: { revision: 1 } },
        { returnDocument: "after" },
      );
      return found === null ? null : toDraft(found);
    },
    async noteBase({ _id, accountId, revision }, base) {
      await drafts.updateOne({ _id, accountId, revision }, { $set: { base } });
    },
    async list(accountId, kind) {
      return await drafts.find({ accountId, kind }).project<DraftSummary>({ source: 0 }).toArray();
    },
  };
}

function toStored(draft: TemplateDraft): StoredDraft {
  return { ...draft, source: JSON.stringify(draft.source) };
}

function toDraft({ source, ...draft }: StoredDraft): TemplateDraft {
  return templateDraftSchema.parse({ ...draft, source: JSON.parse(source) });
}
