import { once } from "node:events";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { findMongod, type FindMongodOptions } from "./mongod_binary.ts";
import { becomePrimary, REPLICA_SET } from "./_replica_set.ts";
import { restartable, type RunningServer } from "./_restartable.ts";
import { type Exit, startSupervised, type Supervised, untilReady } from "./_supervised.ts";
import { giveUpStart } from "./_give_up_start.ts";
import { somewhere } from "./_somewhere.ts";

/** How to start a mongod. */
export interface MongodOptions extends FindMongodOptions {
  /** Folder for its data and its log `mongod.log`; created if missing, kept afterwards. */
  dataDir: string;
  /** TCP port on 127.0.0.1. @default a free one, also for 0 */
  port?: number | undefined;
  /** Memory for WiredTiger's cache in GB, at least 0.25. @default {0.25} */
  cacheGb?: number | undefined;
  /**
   * Key of the replica set, 6 to 1,024 characters of base64. With it the server requires logins, and the key
   * itself is the operator's: user `__system` of the database `local`.
   */
  key?: string | undefined;
  /** Whether the data is temporary: removed even if this process is killed. */
  isTemporary?: boolean | undefined;
  /** More of mongod's command-line arguments. @default none */
  extraArguments?: readonly string[] | undefined;
  /** Called when the server ends without a request from this process. */
  onUnexpectedExit?: ((exit: Exit) => void) | undefined;
}

const START_TIMEOUT_MS = 60_000;

/**
 * Starts mongod on 127.0.0.1 as a replica set of one member and returns when it accepts writes. Its data
 * survives a restart, on another port too; the server does not survive this process.
 *
 * @throws {Error} If no mongod was found, or it did not start, with what to do about it.
 */
export async function openMongod(options: MongodOptions): Promise<RunningServer> {
  const { file, version } = await findMongod(options);
  options.onProgress?.(`starting mongod ${version}`);
  await mkdir(options.dataDir, { recursive: true });
  const { port, process } = await somewhere(options.port, (port) => start(file, port, options));
  return restartable(process, {
    url: urlOf(port, options.key),
    port,
    start: () => start(file, port, options),
    onUnexpectedExit: options.onUnexpectedExit,
  });
}

function urlOf(port: number, key: string | undefined): string {
  const options = `replicaSet=${REPLICA_SET}&directConnection=true`;
  if (key === undefined) return `mongodb://127.0.0.1:${port}/?${options}`;
  const login = `__system:${encodeURIComponent(key)}`;
  return `mongodb://${login}@127.0.0.1:${port}/?${options}&authSource=local`;
}

/** A mongod of a replica set that the caller creates and leads. */
export interface MongodMemberOptions extends MongodOptions {
  /** Name of the set. @default {"rs0"} */
  replicaSet?: string | undefined;
}

/** Starts mongod as a member of a replica set that the caller creates and leads. */
export async function openMongodMember(options: MongodMemberOptions): Promise<RunningServer> {
  const { file } = await findMongod(options);
  await mkdir(options.dataDir, { recursive: true });
  const { port, process } = await somewhere(options.port, (port) => listen(file, port, options));
  return restartable(process, {
    url: `mongodb://127.0.0.1:${port}/?directConnection=true`,
    port,
    start: () => listen(file, port, options),
    onUnexpectedExit: options.onUnexpectedExit,
  });
}

async function start(file: string, port: number, options: MongodOptions): Promise<Supervised> {
  const process = await listen(file, port, options);
  try {
    await becomePrimary(port, { timeoutMs: START_TIMEOUT_MS, key: options.key });
    return process;
  } catch (error) {
    await process.stop();
    throw error;
  }
}

async function listen(
  file: string,
  port: number,
  options: MongodMemberOptions,
): Promise<Supervised> {
  const { dataDir, key } = options;
  if (key !== undefined) await writeKey(keyFileIn(dataDir), key);
  const process = await startSupervised([file, ...mongodArguments(port, options)], {
    logFile: join(dataDir, "mongod.log"),
    removeWhenOrphaned: options.isTemporary ? dataDir : undefined,
  });
  const isReady = await untilReady(process, {
    timeoutMs: START_TIMEOUT_MS,
    probe: async () => isListening(await process.log()) && await accepts(port) || undefined,
  });
  if (isReady) return process;
  throw await giveUpStart(process, {
    ...{ program: "mongod", port, dataDir, timeoutMs: START_TIMEOUT_MS },
  });
}

function keyFileIn(dataDir: string): string {
  return join(dataDir, "replica_set.key");
}

/** Writes the key. mongod refuses a key that others may read. */
async function writeKey(file: string, key: string): Promise<void> {
  await writeFile(file, key, { mode: 0o600 });
  await chmod(file, 0o600);
}

function mongodArguments(port: number, options: MongodMemberOptions): string[] {
  const { dataDir, cacheGb = 0.25, key, replicaSet = REPLICA_SET, extraArguments = [] } = options;
  return [
    extraArguments,
    key === undefined ? [] : ["--keyFile", keyFileIn(dataDir)],
    ["--dbpath", dataDir],
    ["--port", String(port)],
    ["--bind_ip", "127.0.0.1"],
    ["--replSet", replicaSet],
    ["--wiredTigerCacheSizeGB", String(cacheGb)],
    ["--oplogSize", "128"],
    ["--nounixsocket"],
    ["--quiet"],
    // No JavaScript of a query, such as "$where", runs in the server.
    ["--noscripting"],
    ["--setParameter", "diagnosticDataCollectionEnabled=false"],
    // On shutdown, a primary waits for a successor, by default up to 15 s.
    ["--setParameter", "shutdownTimeoutMillisForSignaledShutdown=1000"],
  ].flat();
}

/**
 * Returns whether the server listens. The log belongs to this start only, so the line proves that this server
 * owns the port.
 */
function isListening(log: string): boolean {
  return log.includes('"msg":"Waiting for connections"');
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } finally {
    socket.destroy();
  }
}
