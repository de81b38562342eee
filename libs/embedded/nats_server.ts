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
  /** Folder for its data, its configuration and its log; made if missing, kept afterwards. */
  dataDir: string;
  /** TCP port on 127.0.0.1; 0 or undefined takes a free one. */
  port?: number | undefined;
  /**
   * Maximum bytes of the disk for all streams together; default 8 GiB. Never more than 70 % of what the
   * volume has free, what the streams have already counted as free.
   */
  maxFileStoreBytes?: number | undefined;
  /** Maximum bytes of memory for memory streams. @default {256 MiB} */
  maxMemoryStoreBytes?: number | undefined;
  /** Its accounts, as a part of its configuration; without it, everybody may do everything. */
  accounts?: string | undefined;
  /** TCP port on 127.0.0.1 for `/varz`, `/jsz` and `/healthz`; default none. */
  monitorPort?: number | undefined;
  /** Whether the data is only for now: removed even if this process is killed. */
  isTemporary?: boolean | undefined;
  /** Told in a line what goes on. */
  onProgress?: ((line: string) => void) | undefined;
  /** Called when the server ends and nobody here asked it to. */
  onUnexpectedExit?: ((exit: Exit) => void) | undefined;
}

const START_TIMEOUT_MS = 20_000;
const MAX_FILE_STORE_BYTES = 8 * 1024 ** 3;

/**
 * Starts a nats-server with JetStream on 127.0.0.1 and returns when it accepts connections. Its
 * data survives a restart; the server does not survive this process.
 *
 * @throws {Error} no nats-server was found, or it did not start, with what to do about it
 */
export async function openNatsServer(options: NatsServerOptions): Promise<RunningServer> {
  return await openMember(options);
}

/** Starts a nats-server that stands alone or, with `cluster`, is part of one. */
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
  // The mode counts for a new file only, and passwords are in this one.
  await chmod(configFile, 0o600);
  const process = await startSupervised([file, "--config", configFile], {
    logFile: join(dataDir, "nats.log"),
    removeWhenOrphaned: options.isTemporary ? dataDir : undefined,
  });
  // The server writes this file, which carries its process id, once it listens: no other server
  // on the same port can be taken for it.
  const portsFile = join(dataDir, `nats-server_${process.pid}.ports`);
  const probe = async () => namesAddress(await readFile(portsFile, "utf8")) || undefined;
  const isReady = await untilReady(process, { timeoutMs: START_TIMEOUT_MS, probe });
  if (isReady) {
    // After a kill nobody else would remove it.
    await rm(portsFile, { force: true });
    return process;
  }
  throw await giveUpStart(process, {
    ...{ program: "nats-server", port, dataDir, timeoutMs: START_TIMEOUT_MS },
  });
}

/** Returns whether the server's file names where it listens: `{"nats":["nats://127.0.0.1:40123"]}`. */
function namesAddress(json: string): boolean {
  return (JSON.parse(json) as { nats?: string[] }).nats?.[0] !== undefined;
}
