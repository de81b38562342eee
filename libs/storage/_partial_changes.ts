import {
  partialSchema,
  type StoredPartial,
  type Template,
  templateSchema,
} from "@posthaste/contracts";
import type { ClientSession, Db } from "mongodb";
import { collectionsOf } from "./_collections.ts";
import { PlanOutdatedError } from "./plan_outdated_error.ts";

/** The key of a partial. */
export type PartialKey = Pick<StoredPartial, "accountId" | "name">;

/** The planned change of one partial. */
export interface PartialChange {
  name: string;
  /** Of the draft as it was; 0 for a new partial. */
  revision: number;
  /** The new draft, of a program; the draft stays if this is left out. */
  source?: string | undefined;
  /** Publishes the draft as a version. */
  publish?: {
    version: number;
    /** What it includes itself, by name. */
    calls: readonly string[];
  } | undefined;
}

interface Within {
  accountId: string;
  at: Date;
  session: ClientSession;
}

/** Changes a partial within a transaction. @throws {PlanOutdatedError} */
export async function writePartial(
  db: Db,
  { name, revision, source, publish }: PartialChange,
  { accountId, at, session }: Within,
): Promise<void> {
  const { partials } = collectionsOf(db);
  const key = partialFilter({ accountId, name });
  const before = revision === 0 ? null : await partials.findOne(key, { session });
  const draft = source === undefined
    ? before?.draft
    : { source, revision: revision + 1, updatedAt: at, updatedBy: null };
  if ((before?.draft.revision ?? 0) !== revision || draft === undefined) {
    throw new PlanOutdatedError();
  }
  const isNext = publish === undefined ||
    publish.version === (before?.published?.version ?? 0) + 1;
  if (!isNext) throw new PlanOutdatedError();
  const published = publish === undefined ? before?.published ?? null : {
    ...{ source: draft.source, revision: draft.revision, version: publish.version },
    calls: [...publish.calls],
  };
  const written = partialSchema.parse({ ...key, name, draft, published });
  if (before === null) await partials.insertOne(written, { session });
  else await partials.replaceOne({ ...key, "draft.revision": revision }, written, { session });
}

/**
 * Checks partials that were published within a transaction: no template has one without being changed with
 * it, and none of them reaches itself.
 *
 * @throws {PlanOutdatedError}
 */
export async function requireWhole(
  db: Db,
  { partials: changes, planned }: {
    partials: readonly PartialChange[];
    planned: ReadonlySet<string>;
  },
  { accountId, session }: Within,
): Promise<void> {
  const names = changes.filter(({ publish }) => publish !== undefined).map(({ name }) => name);
  if (names.length === 0) return;
  const { partials } = collectionsOf(db);
  const found = await partials.find({ accountId, published: { $ne: null } }, { session })
    .project<Calling>({ name: 1, calls: "$published.calls" }).toArray();
  for (const name of names) {
    const users = await usersOf(db, { accountId, name }, session);
    const isLeftOut = users.some(({ _id }) => !planned.has(_id));
    if (isLeftOut || isCalledBack(name, found)) throw new PlanOutdatedError();
  }
}

interface Calling {
  name: string;
  calls: string[];
}

/** Returns whether a partial reaches itself. */
function isCalledBack(name: string, partials: readonly Calling[]): boolean {
  const calls = new Map(partials.map((one) => [one.name, one.calls]));
  const reached = new Set<string>();
  const open = [...calls.get(name) ?? []];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === name) return true;
    if (reached.has(next)) continue;
    reached.add(next);
    open.push(...calls.get(next) ?? []);
  }
  return false;
}

/** Finds the templates whose published version has a partial, archived ones left out. */
export async function usersOf(
  db: Db,
  { accountId, name }: PartialKey,
  session?: ClientSession,
): Promise<Template[]> {
  const { templates, versions } = collectionsOf(db);
  const options = session === undefined ? {} : { session };
  const live = { accountId, archivedAt: null, publishedVersion: { $ne: null } };
  const found = await templates.find(live, options).sort({ _id: 1 }).toArray();
  const having = await versions.find({
    ...{ accountId, "includes.name": name },
    _id: { $in: found.map(({ _id, publishedVersion }) => `${_id}/${publishedVersion}`) },
  }, options).project<{ _id: string }>({ _id: 1 }).toArray();
  const ids = new Set(having.map(({ _id }) => _id));
  return found.filter(({ _id, publishedVersion }) => ids.has(`${_id}/${publishedVersion}`))
    .map((template) => templateSchema.parse(template));
}

/** Returns the filter for one partial. */
export function partialFilter({ accountId, name }: PartialKey) {
  return { _id: `${accountId}/${name}`, accountId };
}
