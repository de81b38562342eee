import { setTimeout as delay } from "node:timers/promises";
import { type Db, MongoClient, MongoServerError } from "mongodb";

/** The replica set of one member to create. */
export interface ReplicaSetOptions {
  /** Name of the set, as in the server's start options. */
  name: string;
  /** Address of the server for itself and its clients: `mongo:27017`. */
  host: string;
  /** Key of the set. It grants its holder all rights. */
  key: string;
  /** Longest wait until the server accepts writes, in milliseconds. @default {60_000} */
  timeoutMs?: number | undefined;
}

const NOT_YET_INITIALIZED = 94;

/**
 * Makes a server that runs with a key file a replica set of one member, unless it already is one, and waits
 * until it accepts writes. Later changes of the set, such as more members, stay.
 *
 * @returns Whether this call created the set.
 * @throws {Error} If the server does not answer, refuses the key, or accepts no writes in time.
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
