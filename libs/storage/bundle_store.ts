import {
  type DraftSource,
  type Pinned,
  type Template,
  templateDraftSchema,
  type TemplateKind,
  templateSchema,
} from "@posthaste/contracts";
import type { ClientSession, Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";
import { isDuplicateKey } from "./_duplicate_key.ts";
import { nextNumber } from "./_next_number.ts";
import { oneAtATime } from "./_one_at_a_time.ts";
import { templateIdOf } from "./template_head.ts";
import { PlanOutdatedError } from "./plan_outdated_error.ts";
import { type AssetChange, writeAssetName } from "./_asset_changes.ts";
import { type PartialChange, requireWhole, writePartial } from "./_partial_changes.ts";
import { type Publication, versionOf } from "./template_store.ts";

/** A template as it was when its change was planned. */
export type PlannedTemplate = Pick<Template, "id" | "publishedVersion" | "updatedAt">;

/** The planned change of one template. */
export interface TemplateChange {
  kind: TemplateKind;
  alias: string | null;
  name: string;
  /** Null for a new template. */
  template: PlannedTemplate | null;
  /** Archives it and does nothing else. @default {false} */
  archive?: boolean | undefined;
  /** Publishes a version. */
  publication?: DistributiveOmit<Publication, "accountId" | "id" | "alias" | "name"> | undefined;
  /** The new draft; the draft stays as it is if this is left out. */
  draft?: {
    source: DraftSource;
    /** The revision that is replaced; null if there is no draft yet. */
    revision: number | null;
    /** The version with the same content, if none is published with it. */
    base: number | null;
  } | undefined;
}

type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never;

/** The result of one template's change. */
export interface TemplateChanged {
  kind: TemplateKind;
  id: number;
  alias: string | null;
  name: string;
  /** The version that was published; null if none was. */
  version: number | null;
}

/** What changes together with templates. */
export interface SharedChanges {
  partials?: readonly PartialChange[];
  /** Files that the account keeps, whose bytes are stored already. */
  assets?: readonly AssetChange[];
}

/** Operations on many templates together. */
export interface BundleStore {
  /**
   * Changes templates, partials and kept files of an account, all or none. The changes of templates include all
   * that have one of the partials to publish.
   * @throws {PlanOutdatedError} If one of them has changed since the plan.
   */
  apply(
    accountId: string,
    changes: readonly TemplateChange[],
    at: Date,
    shared?: SharedChanges,
  ): Promise<TemplateChanged[]>;
}

/** Returns the operations on many templates together. */
export function bundleStore(db: Db): BundleStore {
  const { counters } = collectionsOf(db);
  return {
    async apply(accountId, changes, at, shared = {}) {
      const numbered: [TemplateChange, number][] = [];
      for (const change of changes) {
        const { kind, template } = change;
        // Numbers are drawn outside of the transaction: some may be skipped.
        const id = template?.id ?? await nextNumber(counters, `${accountId}/${kind}`);
        numbered.push([change, id]);
      }
      return await oneAtATime(
        db,
        { lock: `${accountId}/bundle` },
        (session) => applyAll(db, { numbered, ...shared }, { accountId, at, session }),
      ).catch((error: unknown) => {
        throw isDuplicateKey(error) ? new PlanOutdatedError() : error;
      });
    },
  };
}

/** Changes templates with their ids, partials and kept files within a transaction. */
export async function applyAll(
  db: Db,
  { numbered, partials = [], assets = [] }: SharedChanges & {
    numbered: readonly (readonly [TemplateChange, number])[];
  },
  within: Pick<Applying, "accountId" | "at" | "session">,
): Promise<TemplateChanged[]> {
  const { accountId } = within;
  const applying = { ...collectionsOf(db), ...within };
  for (const partial of partials) await writePartial(db, partial, within);
  for (const asset of assets) await writeAssetName(db, asset, within);
  const planned = numbered.map(([{ kind }, id]) => templateIdOf(accountId, kind, id));
  await requireWhole(db, { partials, planned: new Set(planned) }, within);
  const changed: TemplateChanged[] = [];
  for (const [change, id] of numbered) changed.push(await apply(change, id, applying));
  return changed;
}

interface Applying extends ReturnType<typeof collectionsOf> {
  accountId: string;
  at: Date;
  session: ClientSession;
}

async function apply(
  change: TemplateChange,
  id: number,
  applying: Applying,
): Promise<TemplateChanged> {
  const { kind, alias, name, publication } = change;
  const template = { _id: templateIdOf(applying.accountId, kind, id), id };
  const version = publication === undefined
    ? null
    : await insertVersion({ ...publication, name }, template, applying);
  await writeHead(change, { ...template, version }, applying);
  await writeDraft(change, { ...template, version }, applying);
  return { kind, id, alias, name, version };
}

type TemplateKey = Pick<Template, "_id" | "id">;
type WithVersion = TemplateKey & { version: number | null };

async function insertVersion(
  publication: DistributiveOmit<Publication, "accountId">,
  { _id, id }: TemplateKey,
  applying: Applying,
): Promise<number> {
  const { versions, accountId, session } = applying;
  const ofTemplate = { accountId, kind: publication.kind, templateId: id };
  await requirePublished(publication.includes ?? [], applying);
  const newest = await versions.findOne(ofTemplate, { sort: { version: -1 }, session });
  const version = versionOf(
    { ...publication, accountId },
    { _id, id },
    (newest?.version ?? 0) + 1,
  );
  await versions.insertOne(version, { session });
  return version.version;
}

/** @throws {PlanOutdatedError} If a partial is not the published one any more. */
async function requirePublished(
  includes: readonly Pinned[],
  { partials, accountId, session }: Applying,
): Promise<void> {
  if (includes.length === 0) return;
  const same = await partials.countDocuments({
    accountId,
    $or: includes.map(({ name, version }) => ({
      ...{ _id: `${accountId}/${name}`, "published.version": version },
    })),
  }, { session });
  if (same < includes.length) throw new PlanOutdatedError();
}

async function writeHead(
  { kind, alias, name, template, archive }: TemplateChange,
  { _id, id, version }: WithVersion,
  { templates, accountId, at, session }: Applying,
): Promise<void> {
  if (template === null) {
    const created = templateSchema.parse({
      ...{ _id, accountId, kind, id, alias, name, publishedVersion: version },
      ...{ createdAt: at, updatedAt: at },
    });
    await templates.insertOne(created, { session });
    return;
  }
  const { publishedVersion, updatedAt } = template;
  const planned = { _id, accountId, alias, archivedAt: null, publishedVersion, updatedAt };
  const published = version === null ? {} : { publishedVersion: version };
  const changes = archive ? { archivedAt: at, alias: null } : { name, ...published };
  const $set = { ...changes, updatedAt: at };
  const { matchedCount } = await templates.updateOne(planned, { $set }, { session });
  if (matchedCount === 0) throw new PlanOutdatedError();
}

async function writeDraft(
  { kind, draft }: TemplateChange,
  { _id, version }: WithVersion,
  { drafts, accountId, at, session }: Applying,
): Promise<void> {
  if (draft === undefined) return;
  const { revision, source } = draft;
  const base = version ?? draft.base;
  const written = { base, updatedAt: at, updatedBy: null };
  if (revision === null) {
    const created = { _id, accountId, kind, source, ...written, revision: 1 };
    const parsed = templateDraftSchema.parse(created);
    await drafts.insertOne({ ...parsed, source: JSON.stringify(parsed.source) }, { session });
    return;
  }
  const { matchedCount } = await drafts.updateOne(
    { _id, accountId, revision },
    { $set: { ...written, source: JSON.stringify(source) }, $inc: { revision: 1 } },
    { session },
  );
  if (matchedCount === 0) throw new PlanOutdatedError();
}
