import assert from "node:assert/strict";
import { type Batch, BATCH_OPEN_MS, newId, type Send } from "@posthaste/contracts";
import { openTestMongo } from "@posthaste/kit";
import { type Db, MongoClient } from "mongodb";
import { identityOf } from "./message_identity.ts";
import type { Postponement } from "./message_postponement.ts";
import { openStore, type Store } from "./store.ts";

/** A store on a database of its own, and access to that database. */
export interface TestStore extends AsyncDisposable {
  store: Store;
  db: Db;
  /** Connection string of the database. */
  url: string;
}

/**
 * Opens a store with indexes on a database that is otherwise empty, and is emptied at the end. A test that changes
 * indexes, or the mark of the migration, must say so: no other test gets them.
 */
export async function openTestStore(
  { changesIndexes = false }: { changesIndexes?: boolean } = {},
): Promise<TestStore> {
  await using stack = new AsyncDisposableStack();
  const { url, isMigrated } = stack.use(await openTestMongo({ migrates: !changesIndexes }));
  const client = stack.adopt(new MongoClient(url), (opened) => opened.close());
  const store = stack.use(await openStore({ url, maxPoolSize: 20 }));
  if (!isMigrated) await store.ensureIndexes();
  const rest = stack.move();
  const db = client.db();
  return { store, db, url, [Symbol.asyncDispose]: () => rest.disposeAsync() };
}

/** Returns how many documents of a collection, or keys of its indexes, the database examines during some work. */
export async function examinedBy(
  db: Db,
  collection: string,
  work: () => Promise<unknown>,
  what: "docsExamined" | "keysExamined" = "docsExamined",
): Promise<number> {
  const since = new Date();
  await db.command({ profile: 2 });
  await work();
  await db.command({ profile: 0 });
  const entries = await db.collection("system.profile")
    .find({ ns: `${db.databaseName}.${collection}`, ts: { $gte: since } }).toArray();
  assert.ok(entries.length > 0, `the database examined no query of "${collection}"`);
  return entries.reduce((sum, entry) => sum + Number(entry[what] ?? 0), 0);
}

/** Makes an open batch. */
export function batchOf(changes: Partial<Batch> = {}): Batch {
  const createdAt = changes.createdAt ?? new Date("2026-01-01T00:00:00Z");
  const closesAt = new Date(createdAt.getTime() + BATCH_OPEN_MS);
  return {
    ...{ _id: newId("bat", createdAt), accountId: "acc_1", createdAt, state: "open" },
    ...{ start: "close", template: { id: 1, version: 1 }, integrationId: 1 },
    request: { from: { email: "shop@example.com" } },
    ...{ pdfs: [], recipients: 0, sends: 0, closesAt, endedAt: null, dueAt: closesAt },
    ...changes,
  };
}

/** Postpones the message of a recipient that was never attempted. */
export function postponementOf(
  send: Send,
  { index = 0, ...times }: Pick<Postponement, "now" | "nextAt" | "reason"> & { index?: number },
): Postponement {
  const identity = identityOf(send, index);
  assert.ok(identity);
  return { ...identity, attempt: 0, ...times };
}
