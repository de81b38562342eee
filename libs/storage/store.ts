import "./_wake_writers.ts";
import { answerWithin, onceThere, type Waiting } from "@posthaste/runtime";
import { hideSecrets, rememberSecrets } from "@posthaste/telemetry";
import { type Db, MongoClient } from "mongodb";
import { databaseOf } from "./_database_of.ts";
import { createIndexes } from "./_indexes.ts";
import { ledgerClock } from "./_ledger_clock.ts";
import { checkOpenIntegrations, createOpenIntegrations } from "./_open_integrations.ts";
import { LEDGER_VERSION, ledgerFault, readLedgerMark, writeLedgerMark } from "./ledger_version.ts";
import { LedgerVersionError } from "./ledger_version_error.ts";
import { migrateLedger } from "./_migrate_ledger.ts";
import { type StoreGroups, storeGroupsOf } from "./store_groups.ts";
import { measured } from "./_measured.ts";

const SELECTION_TIMEOUT_MS = 5000;
const CONNECT_TIMEOUT_MS = 5000;
const WRITE_TIMEOUT_MS = 10_000;
const POOL_WAIT_MS = 10_000;
/** A query of the recount may take a minute. A removal of old documents that takes longer goes on in its next run. */
const ANSWER_MS = 75_000;

/** Where the database is, and how to open it. */
export interface StoreOptions {
  /** Connection string of a replica set. Its path names the database, `posthaste` if there is none. */
  url: string;
  /** Name of the process in the server's log and current operations. */
  appName?: string | undefined;
  /**
   * Reads integrations without their logins, from a view that a migration made: for services whose user may
   * not read sealed passwords. @default {false}
   */
  withoutLogins?: boolean | undefined;
  /** Opens a ledger although its documents are older than this program reads. @default {false} */
  migrating?: boolean | undefined;
  /** The most connections of this process. @default {50} */
  maxPoolSize?: number | undefined;
  /** Waits for a database that is unavailable at first. @default an error */
  waiting?: Waiting | undefined;
  /**
   * Time after which a connection without an answer counts as dead, in milliseconds: a firewall may have forgotten
   * it. Reads, and writes of single documents, are then repeated once on another one. Other writes fail. @default
   * 75,000 with `waiting`, else no limit: the commands that migrate take as long as they need
   */
  answerMs?: number | undefined;
}

/**
 * The ledger's operations. Writes are known to a majority and on disk when they return; reads see only such
 * writes.
 */
export interface Store extends StoreGroups, AsyncDisposable {
  /**
   * Checks that the database answers.
   * @throws {Error} If it does not within 5 s.
   */
  ping(): Promise<void>;
  /** Shows the database's time: {@linkcode ledgerClock}. */
  now(): Date;
  /**
   * Creates the missing indexes and the view, and notes the version. For a migration, not for the start of a
   * service.
   */
  ensureIndexes(): Promise<void>;
}

/**
 * Opens the database.
 *
 * @throws {Error} If it does not answer within 5 s and `waiting` is not set, refuses the login, lacks the
 * requested view, or its documents are of a version that this program may not work with.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { url, withoutLogins = false, migrating = false, waiting } = options;
  const database = databaseOf(url);
  // An unreadable connection string fails here: below, a part of it would be reported as a name.
  clientOf(options);
  let connected: Connected;
  try {
    connected = await onceThere(async () => {
      const { client, clock } = await connect(options);
      try {
        const db = client.db(database);
        await checkVersion(db, migrating);
        if (withoutLogins) await checkOpenIntegrations(db);
        return { client, clock };
      } catch (error) {
        await client.close();
        throw error;
      }
    }, { what: "the database", waiting });
  } catch (error) {
    // A process that was stopped while it waited did not fail.
    waiting?.signal.throwIfAborted();
    throw new Error(`Cannot open database "${database}": ${reasonOf(error)}`, { cause: error });
  }
  return storeOf(connected, options);
}

interface Connected {
  client: MongoClient;
  /** Shows the database's time. */
  clock(): Date;
}

/**
 * Connects to the database. A client that failed once never connects again, so each try creates a new one.
 */
async function connect(options: StoreOptions): Promise<Connected> {
  const client = clientOf(options);
  const clock = ledgerClock(client);
  try {
    await ping(client.db(databaseOf(options.url)));
    return { client, clock };
  } catch (error) {
    await client.close();
    throw error;
  }
}

async function ping(db: Db): Promise<void> {
  await answerWithin(SELECTION_TIMEOUT_MS, db.command({ ping: 1 }));
}

function storeOf(
  { client, clock }: Connected,
  { url, withoutLogins = false }: StoreOptions,
): Store {
  const db = client.db(databaseOf(url));
  const groups = storeGroupsOf(db, { clock, withoutLogins });
  const operations = measured(groups);
  return {
    ...operations,
    // It only makes an object, without waiting: there is nothing to measure.
    registers: { ...operations.registers, ledgerOf: groups.registers.ledgerOf },
    now: clock,
    ping: () => ping(db),
    async ensureIndexes() {
      await migrateLedger(db, new Date());
      await createIndexes(db);
      await createOpenIntegrations(db);
      // Last: a process that finds the mark may rely on the rest.
      await writeLedgerMark(db);
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

async function checkVersion(db: Db, migrating: boolean): Promise<void> {
  const mark = await readLedgerMark(db);
  if (mark === null && await isEmpty(db)) return;
  const fault = ledgerFault(
    mark,
    migrating ? { version: LEDGER_VERSION, oldestRead: 0 } : undefined,
  );
  if (fault !== undefined) throw new LedgerVersionError(fault);
}

/** Returns whether nothing exists that an earlier version could have written. */
async function isEmpty(db: Db): Promise<boolean> {
  return await db.collection("sends").findOne({}, { projection: { _id: 1 } }) === null;
}

/**
 * How often the driver removes closed connections that nobody asked for. It does so ten times a second, which costs 2 ms of
 * processor time a second in each idle process. Its pool has this option, but the client does not take it. A connection
 * that is asked for is checked anyway.
 */
const POOL_CHECKS = { minPoolSizeCheckFrequencyMS: 10_000 };

/**
 * Opens a client. The driver quotes a string that it cannot read, with the password, in the message and
 * beside it.
 */
function clientOf(
  { url, appName, maxPoolSize = 50, waiting, answerMs = waiting && ANSWER_MS }: StoreOptions,
): MongoClient {
  rememberSecrets([url]);
  try {
    const client = new MongoClient(url, {
      ...(appName === undefined ? {} : { appName }),
      ...(answerMs === undefined ? {} : { socketTimeoutMS: answerMs }),
      maxPoolSize,
      retryWrites: true,
      retryReads: true,
      writeConcern: { w: "majority", journal: true, wtimeoutMS: WRITE_TIMEOUT_MS },
      readConcern: { level: "majority" },
      serverSelectionTimeoutMS: SELECTION_TIMEOUT_MS,
      connectTimeoutMS: CONNECT_TIMEOUT_MS,
      waitQueueTimeoutMS: POOL_WAIT_MS,
      ignoreUndefined: true,
      promoteValues: true,
    });
    Object.assign(client.options, POOL_CHECKS);
    return client;
  } catch (error) {
    throw new Error(`Cannot open the database: ${hideSecrets(reasonOf(error))}`);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
