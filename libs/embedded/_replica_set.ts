import { setTimeout as sleep } from "node:timers/promises";
import {
  type Db,
  type Document,
  MongoClient,
  type MongoClientOptions,
  MongoServerError,
} from "mongodb";

/** The only replica set of a {@link openMongod} server. */
export const REPLICA_SET = "rs0";

const NOT_YET_INITIALIZED = 94;
const ALREADY_INITIALIZED = 23;

/**
 * Makes the server the primary of a replica set of one member, or moves the existing set in its data folder
 * to this port, and returns when the server accepts writes. A server that requires logins gets its replica
 * set's key.
 *
 * @throws {Error} If it does not accept writes in time.
 */
export async function becomePrimary(
  port: number,
  { timeoutMs, key }: { timeoutMs: number; key?: string | undefined },
): Promise<void> {
  await using client = await new MongoClient(`mongodb://127.0.0.1:${port}`, {
    directConnection: true,
    serverSelectionTimeoutMS: timeoutMs,
    ...(key === undefined ? {} : memberLogin(key)),
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

/** Returns the login of one member at another. The holder of the key has all rights. */
function memberLogin(key: string): MongoClientOptions {
  return {
    auth: { username: "__system", password: key },
    authSource: "local",
    authMechanism: "SCRAM-SHA-256",
  };
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
    if (!isError(error, NOT_YET_INITIALIZED)) throw error;
    await initiate(admin, host);
  }
}

async function initiate(admin: Db, host: string): Promise<void> {
  try {
    await admin.command({ replSetInitiate: { _id: REPLICA_SET, members: [{ _id: 0, host }] } });
  } catch (error) {
    // A server that starts again does not know its set until it has read it.
    if (!isError(error, ALREADY_INITIALIZED)) throw error;
    await configure(admin, host);
  }
}

function isError(error: unknown, code: number): boolean {
  return error instanceof MongoServerError && error.code === code;
}

/** How to make a replica set. */
export interface ReplicaSetPlan {
  electionTimeoutMs: number;
  /** @default {"rs0"} */
  name?: string;
  /** Whether it holds the configuration of a sharded cluster. @default {false} */
  isConfig?: boolean;
}

/** Makes a replica set of servers that are in none yet. An existing set stays as it is. */
export async function initiateReplicaSet(
  ports: readonly number[],
  { electionTimeoutMs, name = REPLICA_SET, isConfig = false }: ReplicaSetPlan,
): Promise<void> {
  const members = ports.map((port, _id) => ({ _id, host: `127.0.0.1:${port}` }));
  await commandOn(ports[0] as number, {
    replSetInitiate: {
      _id: name,
      ...(isConfig ? { configsvr: true } : {}),
      members,
      settings: { electionTimeoutMillis: electionTimeoutMs, heartbeatIntervalMillis: 500 },
    },
  });
}

/**
 * Waits until one of the servers accepts writes and returns its port.
 *
 * @throws {Error} If none does in time.
 */
export async function primaryOf(ports: readonly number[], timeoutMs: number): Promise<number> {
  const deadline = performance.now() + timeoutMs;
  while (performance.now() < deadline) {
    const answers = await Promise.all(ports.map((port) =>
      commandOn(port, { hello: 1 }).then(
        (answer) => ({ port, answer }),
        () => undefined,
      )
    ));
    const found = answers.filter((one) => one?.answer["isWritablePrimary"] === true);
    // A primary that was disconnected may not know yet that there is another one.
    if (found.length === 1) return (found[0] as { port: number }).port;
    await sleep(50);
  }
  throw new Error(`Cannot use the replica set: it had no primary within ${timeoutMs / 1000} s`);
}

const STEPPED_DOWN_S = 10;
const CATCH_UP_S = 5;

/** Makes a primary step down, after another member has all its writes. */
export async function stepDown(port: number): Promise<void> {
  await commandOn(port, {
    replSetStepDown: STEPPED_DOWN_S,
    secondaryCatchUpPeriodSecs: CATCH_UP_S,
  });
}

const ANSWER_TIMEOUT_MS = 2000;

/** The collection of the profiler. */
const PROFILE = "system.profile";

/** That of MongoDB 8.0, the first with the command `bulkWrite`. */
const BULK_WRITE_WIRE_VERSION = 25;

/** Sends a command to the database `admin` of one server. */
export async function commandOn(port: number, command: Document): Promise<Document> {
  await using client = await new MongoClient(`mongodb://127.0.0.1:${port}`, {
    directConnection: true,
    serverSelectionTimeoutMS: ANSWER_TIMEOUT_MS,
    connectTimeoutMS: ANSWER_TIMEOUT_MS,
    socketTimeoutMS: (CATCH_UP_S + 5) * 1000,
  }).connect();
  return await client.db("admin").command(command);
}

/** The contents of a database. It connects when it is first used. */
export interface MongoContents extends AsyncDisposable {
  /** Adds documents to collections, by their names. */
  insert(documents: Readonly<Record<string, readonly Document[]>>): Promise<void>;
  /** Adds copies of a document to its collection, each with other changes. */
  copy(of: { collection: string; id: string }, changes: readonly Document[]): Promise<void>;
  /**
   * Removes every document, except those of some collections, and the profile. Collections and their indexes stay.
   * One command on one connection: forty of them open many connections, and use four times as much of the
   * processor.
   */
  empty(options?: { except?: readonly string[] }): Promise<void>;
}

/** Opens the contents of a database. */
export function openMongoContents(url: string, name: string): MongoContents {
  const client = new MongoClient(url, { maxPoolSize: 1 });
  const db = client.db(name);
  return {
    async insert(documents) {
      await Promise.all(
        Object.entries(documents).map(([name, added]) => db.collection(name).insertMany(added)),
      );
    },
    async copy({ collection, id }, changes) {
      const documents = db.collection<{ _id: string }>(collection);
      const found = await documents.findOne({ _id: id });
      if (found === null) {
        throw new Error(`Cannot copy "${id}" of "${collection}": it does not exist`);
      }
      await documents.insertMany(changes.map((each) => ({ ...found, ...each })));
    },
    async empty({ except = [] } = {}) {
      const found = await db.listCollections({ type: "collection" }, { nameOnly: true }).toArray();
      const own = found.filter(({ name }) => !name.startsWith("system.") && !except.includes(name));
      const deletions = own.map((collection) => ({
        name: "deleteMany" as const,
        namespace: `${name}.${collection.name}`,
        filter: {},
      }));
      const { maxWireVersion } = await db.command({ hello: 1 });
      if (maxWireVersion < BULK_WRITE_WIRE_VERSION) {
        await Promise.all(own.map(({ name }) => db.collection(name).deleteMany()));
      } else if (deletions.length > 0) {
        await client.bulkWrite(deletions, { ordered: false });
      }
      if (!found.some(({ name }) => name === PROFILE)) return;
      await db.command({ profile: 0 });
      await db.dropCollection(PROFILE);
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}
