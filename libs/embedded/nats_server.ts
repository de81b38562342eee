import { chmod, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findNatsServer } from "./nats_binary.ts";
import { type NatsClusterMember, natsConfig } from "./_nats_config.ts";
import { restartable, type RunningServer } from "./_restartable.ts";
import { type Exit, startSupervised, type Supervised, untilReady } from "./_supervised.ts";
import { giveUpStart } from "./_give_up_start.ts";
import { somewhere } from "./_somewhere.ts";
import { storableBytes } from "./_storable_bytes.ts";
import type { Env } from "./user_cache_dir.ts";

/** How to start a nats-server. */
export interface NatsServerOptions {
  /** Settings of the environment; `PATH` is used to look for an installed nats-server. */
  env: Env;
  /** Folder for its data, its configuration and its log; created if missing, kept afterwards. */
  dataDir: string;
  /** TCP port on 127.0.0.1. @default a free one, also for 0 */
  port?: number | undefined;
  /**
   * The most bytes on the disk for all streams together, and never more than 70 % of the volume's free space,
   * where the present content of the streams counts as free. @default {8 GiB}
   */
  maxFileStoreBytes?: number | undefined;
  /** The most bytes of memory for memory streams. @default {256 MiB} */
  maxMemoryStoreBytes?: number | undefined;
  /** Its accounts, as a part of its configuration. Without it, every client has all rights. */
  accounts?: string | undefined;
  /** TCP port on 127.0.0.1 for `/varz`, `/jsz` and `/healthz`. @default none */
  monitorPort?: number | undefined;
  /** Whether the data is temporary: removed even if this process is killed. */
  isTemporary?: boolean | undefined;
  /** Receives a line about the progress. */
  onProgress?: ((line: string) => void) | undefined;
  /** Called when the server ends without a request from this process. */
  onUnexpectedExit?: ((exit: Exit) => void) | undefined;
}

const START_TIMEOUT_MS = 20_000;
const MAX_FILE_STORE_BYTES = 8 * 1024 ** 3;

/**
 * Starts a nats-server with JetStream on 127.0.0.1 and returns when it accepts connections. Its data survives
 * a restart; the server does not survive this process.
 *
 * @throws {Error} If no nats-server was found, or it did not start, with what to do about it.
 */
export async function openNatsServer(options: NatsServerOptions): Promise<RunningServer> {
  return await openMember(options);
}

/** Starts a single nats-server or, with `cluster`, a member of one. */
export async function openMember(
  options: NatsServerOptions & { cluster?: NatsClusterMember },
): Promise<RunningServer> {
  const { file, version } = await findNatsServer(options.env);
  options.onProgress?.(`starting nats-server ${version}`);
  await mkdir(options.dataDir, { recursive: true });
  const { port, process } = await somewhere(
    options.port,
    (port) => start(file, port, options),
  );
  return restartable(process, {
    url: `nats://127.0.0.1:${port}`,
    port,
    start: () => start(file, port, options),
    onUnexpectedExit: options.onUnexpectedExit,
  });
}

async function start(
  file: string,
  port: number,
  options: NatsServerOptions & { cluster?: NatsClusterMember },
): Promise<Supervised> {
  const { dataDir, cluster, monitorPort } = options;
  const wantedBytes = options.maxFileStoreBytes ?? MAX_FILE_STORE_BYTES;
  const configFile = join(dataDir, "nats.conf");
  await writeFile(
    configFile,
    natsConfig({
      port,
      dataDir,
      maxFileStoreBytes: Math.min(wantedBytes, await storableBytes(dataDir)),
      maxMemoryStoreBytes: options.maxMemoryStoreBytes ?? 256 * 1024 ** 2,
      monitorPort,
      accounts: options.accounts,
      cluster,
    }),
    { mode: 0o600 },
  );
  // The mode only applies to a new file, and this one contains passwords.
  await chmod(configFile, 0o600);
  const process = await startSupervised([file, "--config", configFile], {
    logFile: join(dataDir, "nats.log"),
    removeWhenOrphaned: options.isTemporary ? dataDir : undefined,
  });
  // The server writes this file, whose name contains its process id, once it listens: no other server on the
  // same port can be mistaken for it.
  const portsFile = join(dataDir, `nats-server_${process.pid}.ports`);
  const probe = async () => namesAddress(await readFile(portsFile, "utf8")) || undefined;
  const isReady = await untilReady(process, { timeoutMs: START_TIMEOUT_MS, probe });
  if (isReady) {
    // After a kill, nothing else would remove it.
    await rm(portsFile, { force: true });
    return process;
  }
  throw await giveUpStart(process, {
    ...{ program: "nats-server", port, dataDir, timeoutMs: START_TIMEOUT_MS },
  });
}

/** Returns whether the server's file contains its address: `{"nats":["nats://127.0.0.1:40123"]}`. */
function namesAddress(json: string): boolean {
  return (JSON.parse(json) as { nats?: string[] }).nats?.[0] !== undefined;
}
