import { randomBytes } from "node:crypto";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { emptyMongoDatabase, openMongod, type RunningServer } from "@posthaste/embedded";

/** A database without a document, for one test. Disposing empties it. */
export interface TestMongo extends AsyncDisposable {
  /** Address for clients; its path names the test's own database. */
  readonly url: string;
}

let shared: Promise<string> | undefined;

/** Databases that tests of this process have released. */
const free: string[] = [];

/**
 * Returns an empty database in a real MongoDB. It may have the collections and indexes of earlier tests:
 * creating them takes a tenth of a second each time. The server is the one at `POSTHASTE_TEST_MONGODB_URL`,
 * which a test runner starts for all test files, else in one that this process starts on the first call and
 * that ends with the process.
 *
 * @throws {Error} no mongod was found or could be fetched, or it did not start
 */
export async function openTestMongo(): Promise<TestMongo> {
  const server = process.env["POSTHASTE_TEST_MONGODB_URL"] ||
    await (shared ??= openTestMongod().then(({ url }) => url));
  const database = free.pop() ?? `test_${randomBytes(6).toString("hex")}`;
  return {
    url: server.replace("/?", `/${database}?`),
    async [Symbol.asyncDispose]() {
      await emptyMongoDatabase(server, database);
      free.push(database);
    },
  };
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
