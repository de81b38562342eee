import { setTimeout as sleep } from "node:timers/promises";
import { type Db, MongoClient, MongoServerError } from "mongodb";

/** The one replica set that a {@link openMongod} server belongs to. */
export const REPLICA_SET = "rs0";

const NOT_YET_INITIALIZED = 94;

/**
 * Makes the server the primary of a replica set of one member, or moves the set that its data
 * folder already holds to this port, and returns when the server takes writes.
 *
 * @throws {Error} it does not take writes in time
 */
export async function becomePrimary(port: number, timeoutMs: number): Promise<void> {
  await using client = await new MongoClient(`mongodb://127.0.0.1:${port}`, {
    directConnection: true,
    serverSelectionTimeoutMS: timeoutMs,
  }).connect();
  const admin = client.db("admin");
  await configure(admin, `127.0.0.1:${port}`);
  const deadline = performance.now() + timeoutMs;
  while ((await admin.command({ hello: 1 }))["isWritablePrimary"] !== true) {
    if (performance.now() > deadline) {
      throw new Error(`Cannot use mongod on port "${port}": it did not become primary in time`);
    }
    await sleep(20);
  }
}

async function configure(admin: Db, host: string): Promise<void> {
  try {
    const { config } = await admin.command({ replSetGetConfig: 1 });
    if (config.members.length === 1 && config.members[0].host === host) return;
    await admin.command({
      replSetReconfig: {
        ...config,
        version: config.version + 1,
        members: [{ ...config.members[0], host }],
      },
      force: true,
    });
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== NOT_YET_INITIALIZED) throw error;
    await admin.command({
      replSetInitiate: { _id: REPLICA_SET, members: [{ _id: 0, host }] },
    });
  }
}

/** Removes a database and everything in it. */
export async function dropMongoDatabase(url: string, name: string): Promise<void> {
  await using client = await new MongoClient(url).connect();
  await client.db(name).dropDatabase();
}
