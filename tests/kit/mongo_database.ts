import { randomBytes } from "node:crypto";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type MongoContents,
  openMongoContents,
  openMongod,
  type RunningServer,
} from "@posthaste/embedded";

/** A database without a document, for one test. Disposing empties it. */
export interface TestMongo extends AsyncDisposable {
  /** Address for clients; its path names the test's own database. */
  readonly url: string;
  /** Whether an earlier test migrated it. Its only document is then the mark of that. */
  readonly isMigrated: boolean;
  /** Adds documents as they are, in one command for each collection. */
  insert: MongoContents["insert"];
  /** Adds copies of a document, in one command. */
  copy: MongoContents["copy"];
}

/** How a database is opened. */
export interface TestMongoOptions {
  /**
   * Whether the test migrates it, and changes no index: the next test that also does gets it with its mark, and need
   * not look at forty collections again. @default {false}
   */
  migrates?: boolean;
}

let shared: Promise<string> | undefined;

/** Databases that tests of this process have released. */
const free: string[] = [];
/** Those of them that are migrated. */
const migrated: string[] = [];

/** The collection of the mark. */
const MARK = "ledger";

/**
 * Returns an empty database in a real MongoDB. It may have the collections and indexes of earlier tests:
 * creating them takes a tenth of a second each time. The server is the one at `POSTHASTE_TEST_MONGODB_URL`,
 * which a test runner starts for all test files, else in one that this process starts on the first call and
 * that ends with the process.
 *
 * @throws {Error} no mongod was found or could be fetched, or it did not start
 */
export async function openTestMongo(
  { migrates = false }: TestMongoOptions = {},
): Promise<TestMongo> {
  const server = process.env["POSTHASTE_TEST_MONGODB_URL"] ||
    await (shared ??= openTestMongod().then(({ url }) => url));
  const known = migrates ? migrated.pop() : undefined;
  const database = known ?? free.pop() ?? await withoutMark(server, migrated.pop()) ??
    `test_${randomBytes(6).toString("hex")}`;
  const contents = openMongoContents(server, database);
  return {
    url: server.replace("/?", `/${database}?`),
    isMigrated: known !== undefined,
    ...{ insert: contents.insert, copy: contents.copy },
    async [Symbol.asyncDispose]() {
      await using _closing = contents;
      await contents.empty({ except: migrates ? [MARK] : [] });
      (migrates ? migrated : free).push(database);
    },
  };
}

/** Removes the mark of a database, if there is one: to create another costs more. */
async function withoutMark(server: string, database?: string): Promise<string | undefined> {
  if (database === undefined) return undefined;
  await using contents = openMongoContents(server, database);
  await contents.empty();
  return database;
}

/**
 * Starts a mongod for tests, on data that is removed when it ends. It keeps documents that have expired: tests
 * write those of past days, and a removal of expired ones once a minute would hit some runs by chance.
 *
 * @throws {Error} no mongod was found or could be fetched, or it did not start
 */
export async function openTestMongod(
  { onProgress }: { onProgress?: (line: string) => void } = {},
): Promise<RunningServer> {
  const dataDir = await mkdtemp(join(tmpdir(), "posthaste-test-"));
  const extraArguments = ["--setParameter", "ttlMonitorEnabled=false"];
  return await openMongod({
    ...{ env: process.env, dataDir, isTemporary: true, extraArguments },
    ...(onProgress && { onProgress }),
  });
}
