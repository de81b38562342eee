import { setTimeout as delay } from "node:timers/promises";
import { type Db, MongoClient, MongoServerError } from "mongodb";

/** The replica set of one member that is to be there. */
export interface ReplicaSetOptions {
  /** Name of the set, as the server was started with. */
  name: string;
  /** How the server and its clients call it: `mongo:27017`. */
  host: string;
  /** Key of the set, which lets its holder do everything. */
  key: string;
  /** Longest wait for the server to take writes, in milliseconds. @default {60_000} */
  timeoutMs?: number | undefined;
}

const NOT_YET_INITIALIZED = 94;

/**
 * Makes a server that runs with a key file a replica set of one member, unless it is one already, and
 * waits until it takes writes. What the set has become since, more members for example, stays.
 *
 * @returns whether the set was made now
 * @throws {Error} If the server does not answer, refuses the key, or takes no writes in time.
 */
export async function ensureReplicaSet(options: ReplicaSetOptions): Promise<boolean> {
  const { host, key, timeoutMs = 60_000 } = options;
  await using client = await new MongoClient(`mongodb://${host}`, {
    directConnection: true,
    serverSelectionTimeoutMS: timeoutMs,
    auth: { username: "__system", password: key },
    authSource: "local",
    authMechanism: "SCRAM-SHA-256",
  }).connect();
  const admin = client.db("admin");
  const isNew = await initiate(admin, options);
  const deadline = performance.now() + timeoutMs;
  while ((await admin.command({ hello: 1 }))["isWritablePrimary"] !== true) {
    if (performance.now() > deadline) {
      throw new Error(
        `Cannot use "${host}": it does not accept writes after ${timeoutMs / 1000} s`,
      );
    }
    await delay(50);
  }
  return isNew;
}

async function initiate(admin: Db, { name, host }: ReplicaSetOptions): Promise<boolean> {
  try {
    await admin.command({ replSetGetStatus: 1 });
    return false;
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== NOT_YET_INITIALIZED) throw error;
  }
  await admin.command({ replSetInitiate: { _id: name, members: [{ _id: 0, host }] } });
  return true;
}
