import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { BSON, type MongoClient } from "mongodb";
import { descendantsOf } from "./holdings.ts";
import { DATABASE } from "./read_records.ts";
import type { Fixture } from "../fixture/fixture.ts";
import type { SecretSearch } from "./secret.ts";

/**
 * Searches for secrets where they would be after a run: in the files of the broker and of the services, in
 * the database, and in the environments and arguments of browsers.
 */
export async function findLeaks(
  fixture: Fixture,
  { accountId, search }: { accountId: string; search: SecretSearch },
): Promise<string[]> {
  const { dataDir, mongo, pods } = fixture;
  const leaks = await Promise.all([
    searchFolder(join(dataDir, "nats"), search),
    searchFolder(join(dataDir, "tmp"), search),
    searchDatabase(mongo, { accountId, search }),
    searchChildren(pods.running("pdf").map(({ process: { pid } }) => pid), search),
  ]);
  return leaks.flat();
}

/** Searches every file of a folder and its subfolders. Files may be removed meanwhile. */
export async function searchFolder(folder: string, search: SecretSearch): Promise<string[]> {
  const leaks: string[] = [];
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const bytes = await readFile(file).catch(() => Buffer.alloc(0));
    leaks.push(...search(bytes).map((leak) => `${relative(folder, file)} holds ${leak}`));
  }
  return leaks;
}

/** Searches every document of an account, and those without an account. */
export async function searchDatabase(
  mongo: MongoClient,
  { accountId, search, database = DATABASE }: {
    accountId: string;
    search: SecretSearch;
    database?: string;
  },
): Promise<string[]> {
  const db = mongo.db(database);
  const leaks = new Set<string>();
  for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray()) {
    const mine = { $or: [{ accountId }, { accountId: { $exists: false } }] };
    for await (const document of db.collection(name).find(mine)) {
      for (const leak of search(BSON.EJSON.stringify(document))) {
        leaks.add(`the collection ${name} holds ${leak}`);
      }
    }
  }
  return [...leaks];
}

/** Searches the environment and the arguments of every process below some services. */
export async function searchChildren(
  pids: readonly number[],
  search: SecretSearch,
): Promise<string[]> {
  const leaks: string[] = [];
  for (const pid of (await Promise.all(pids.map(descendantsOf))).flat()) {
    for (const what of ["environ", "cmdline"]) {
      const bytes = await readFile(`/proc/${pid}/${what}`).catch(() => Buffer.alloc(0));
      leaks.push(...search(bytes).map((leak) => `a browser's ${what} holds ${leak}`));
    }
  }
  return [...new Set(leaks)];
}
