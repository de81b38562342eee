import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openBus } from "@posthaste/messaging";
import {
  type Exit,
  freePort,
  openMongod,
  openNatsServer,
  type RunningServer,
  userCacheDir,
} from "@posthaste/parts";
import { openStore } from "@posthaste/storage";
import { type ServiceProcess, startService } from "./service_process.ts";

/** The services, in the order in which they start; they stop in the reverse order. */
export const SERVICES = ["tracker", "mailer", "pdf", "renderer", "api"] as const;

/** Name of a service. */
export type ServiceName = (typeof SERVICES)[number];

/** Name of anything that runs as a process of its own. */
export type PartName = ServiceName | "inbox" | "nats" | "mongod";

/** Where the parts listen; 0 or nothing takes any free port. */
export interface StackPorts {
  api?: number | undefined;
  nats?: number | undefined;
  mongodb?: number | undefined;
}

/** What is started, and where its data lies. */
export interface StackOptions {
  /** The environment that settings are taken from. `MONGODB_URL` and `NATS_URL` replace our own. */
  env: Record<string, string | undefined>;
  /** Folder for all data; made if missing. */
  dataDir: string;
  /** Whether the data is only for now. */
  isTemporary?: boolean;
  ports?: StackPorts;
  /** Starts the development inbox as well. */
  inbox?: { webPort: number; smtpPort: number };
  /** More settings, by service. */
  settings?: Partial<Record<ServiceName, Record<string, string>>>;
  /** Done beside the start of the services, once database and broker are there. */
  prepare?: (urls: { mongodbUrl: string; natsUrl: string }) => Promise<void>;
  /** Breaks the start off: what runs already is stopped, and the signal's reason thrown. */
  signal?: AbortSignal;
  /** Told in a line what goes on. */
  onProgress?: (line: string) => void;
  /** Every line that a service prints. */
  onLine?: (service: ServiceName | "inbox", line: string) => void;
  /** A part ended that nobody asked to. */
  onUnexpectedExit?: (part: PartName, reason: string) => void;
}

/** The whole system, running on this machine. */
export interface Stack extends AsyncDisposable {
  readonly mongodbUrl: string;
  readonly natsUrl: string;
  /** Base of the interface; ends with `/v1`. */
  readonly apiUrl: string;
  /** File with the keys that SMTP passwords are sealed under; not there if `MASTER_KEY` is set. */
  readonly masterKeyFile: string;
  readonly masterKey: string;
  /** Our own broker and database, where no other ones were given. */
  readonly nats: RunningServer | undefined;
  readonly mongod: RunningServer | undefined;
  readonly services: ReadonlyMap<ServiceName | "inbox", ServiceProcess>;
  /** Starts a part, which has ended, again; nothing once the stack stops. */
  restart(name: PartName): Promise<void>;
}

/** A start that is broken off waits this long for servers that cannot be told. */
const LET_GO_MS = 3000;

/**
 * Starts broker, database and every service, each as a process of its own, and waits until all are
 * ready. Disposing stops all of them, the last started first; none survives this process.
 *
 * @throws {Error} If a part does not start, with what to do about it; the others are stopped again.
 */
export async function openStack(options: StackOptions): Promise<Stack> {
  const { env, dataDir, onProgress, ports = {} } = options;
  await mkdir(dataDir, { recursive: true });
  await using opened = new AsyncDisposableStack();
  const { mongod, nats } = await startServers(options, opened);
  const mongodbUrl = mongod?.url ?? env["MONGODB_URL"] ?? "";
  const natsUrl = nats?.url ?? env["NATS_URL"] ?? "";
  onProgress?.("creating streams and indexes");
  await allDone([
    migrateDatabase(mongodbUrl).catch((cause) => {
      throw mongod ? cause : notUsable("MONGODB_URL", cause);
    }),
    migrateBroker(natsUrl).catch((cause) => {
      throw nats ? cause : notUsable("NATS_URL", cause);
    }),
  ]);
  options.signal?.throwIfAborted();

  const masterKeyFile = env["MASTER_KEY_FILE"] || join(dataDir, "master.key");
  const masterKey = env["MASTER_KEY"] || await keptMasterKey(masterKeyFile);
  const apiPort = ports.api || await freePort();
  const common = {
    ...env,
    // The inbox, and servers of tests, are on this machine.
    EGRESS_ALLOW: ["127.0.0.0/8", "::1", env["EGRESS_ALLOW"] ?? ""].join(),
    MONGODB_URL: mongodbUrl,
    NATS_URL: natsUrl,
    // The mailer's alone: see below.
    MASTER_KEY: undefined,
    MASTER_KEY_FILE: undefined,
    MONGODB_URL_FILE: undefined,
    NATS_URL_FILE: undefined,
    PORT: String(apiPort),
    HOST: "127.0.0.1",
    APPLY_TOPOLOGY: "true",
    // Outside of the data: unpacking Chromium takes seconds, and what it gives never differs.
    CACHE_DIR: env["CACHE_DIR"] || join(userCacheDir(env), "chromium"),
    // Saves a third of the CPU that the start of the services takes.
    NODE_COMPILE_CACHE: env["NODE_COMPILE_CACHE"] || join(userCacheDir(env), "compiled"),
  };
  const runner = opened.use(openRunner(options, { common, mailer: { MASTER_KEY: masterKey } }));
  onProgress?.("starting the services");
  const failing = new AbortController();
  const names = [...(options.inbox ? ["inbox"] as const : []), ...SERVICES];
  await allDone([
    ...names.map((name) => runner.start(name, failing.signal)),
    options.prepare?.({ mongodbUrl, natsUrl }),
  ].map((start) =>
    start?.catch((error) => {
      // The others need not become ready, and what they throw then is this.
      failing.abort(error);
      throw error;
    })
  ));
  options.signal?.throwIfAborted();
  const parts = opened.move();
  return {
    mongodbUrl,
    natsUrl,
    apiUrl: `http://127.0.0.1:${apiPort}/v1`,
    masterKeyFile,
    masterKey,
    nats,
    mongod,
    services: runner.services,
    async restart(name) {
      if (name === "nats") await nats?.restart();
      else if (name === "mongod") await mongod?.restart();
      else await runner.start(name);
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

async function startServers(options: StackOptions, opened: AsyncDisposableStack) {
  const { env, dataDir, ports = {}, isTemporary = false, onProgress, signal } = options;
  const part = (name: PartName, folder: string) => ({
    env,
    dataDir: join(dataDir, folder),
    isTemporary,
    onProgress: (line: string) => {
      if (!signal?.aborted) onProgress?.(line);
    },
    onUnexpectedExit: ({ code, signal }: Exit) =>
      options.onUnexpectedExit?.(name, `it ended with ${signal ?? `code ${code}`}`),
  });
  let mongod: RunningServer | undefined;
  let nats: RunningServer | undefined;
  const starting = allDone([
    env["MONGODB_URL"]
      ? undefined
      : openMongod({ ...part("mongod", "mongodb"), port: ports.mongodb })
        .then((server) => mongod = server),
    env["NATS_URL"] ? undefined : openNatsServer({ ...part("nats", "nats"), port: ports.nats })
      .then((server) => nats = server),
  ]);
  const aborted = Promise.withResolvers<void>();
  signal?.addEventListener("abort", () => aborted.resolve(), { once: true });
  if (signal?.aborted) aborted.resolve();
  try {
    await Promise.race([starting, aborted.promise]);
    if (signal?.aborted) await Promise.race([starting, delay(LET_GO_MS)]);
  } finally {
    if (mongod) opened.use(mongod);
    if (nats) opened.use(nats);
  }
  signal?.throwIfAborted();
  return { mongod, nats };
}

/** Waits for all, then throws what the first of those has thrown that failed. */
async function allDone(promises: readonly (Promise<unknown> | undefined)[]): Promise<void> {
  const results = await Promise.allSettled(promises);
  const failed = results.find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
}

interface Runner extends AsyncDisposable {
  services: ReadonlyMap<ServiceName | "inbox", ServiceProcess>;
  /** Does nothing once it is disposed; a signal breaks the start off. */
  start(name: ServiceName | "inbox", signal?: AbortSignal): Promise<void>;
}

/** Starts services and keeps track of them: one that was restarted takes the place of the old. */
function openRunner(
  options: StackOptions,
  env: Record<"common" | "mailer", Record<string, string | undefined>>,
): Runner {
  const services = new Map<ServiceName | "inbox", ServiceProcess>();
  const closing = new AbortController();
  const starting = new Set<Promise<void>>();

  async function startOne(
    name: ServiceName | "inbox",
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const signals = [closing.signal, options.signal, signal];
    const service = await startService({
      name,
      main: fileURLToPath(new URL(mainOf(name), import.meta.url)),
      env: {
        ...env.common,
        ...(name === "mailer" ? env.mailer : {}),
        ...settingsOf(name, options),
      },
      signal: AbortSignal.any(signals.filter((signal) => signal !== undefined)),
      onLine: (line) => options.onLine?.(name, line),
      onUnexpectedExit: (reason) => options.onUnexpectedExit?.(name, reason),
    });
    services.set(name, service);
  }
  return {
    services,
    async start(name, signal) {
      if (closing.signal.aborted) return;
      const start = startOne(name, signal);
      starting.add(start);
      try {
        await start;
      } finally {
        starting.delete(start);
      }
    },
    async [Symbol.asyncDispose]() {
      closing.abort();
      await Promise.allSettled(starting);
      for (const name of [...SERVICES.toReversed(), "inbox"] as const) {
        const service = services.get(name);
        if (service) options.onProgress?.(`stopping ${name}`);
        await service?.[Symbol.asyncDispose]();
      }
    },
  };
}

function mainOf(name: ServiceName | "inbox"): string {
  return name === "inbox" ? "inbox_service.ts" : `../services/${name}/main.ts`;
}

function settingsOf(name: ServiceName | "inbox", options: StackOptions) {
  if (name !== "inbox") return options.settings?.[name];
  return {
    DATA_DIR: join(options.dataDir, "inbox"),
    SMTP_PORT: String(options.inbox?.smtpPort),
    WEB_PORT: String(options.inbox?.webPort),
  };
}

async function migrateDatabase(url: string): Promise<void> {
  await using store = await openStore({ url, appName: "migration" });
  await store.ensureIndexes();
}

async function migrateBroker(url: string): Promise<void> {
  await using bus = await openBus({ url, name: "migration" });
  await bus.applyTopology();
}

/** Says that a server, which somebody else runs, is not as it should be. */
function notUsable(name: string, cause: unknown): Error {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new Error(
    `Cannot use ${name}: ${reason}; check that the server runs and takes this user, or unset ` +
      `${name} and one is started here`,
    { cause },
  );
}

async function keptMasterKey(file: string): Promise<string> {
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (error) {
    // A key that is there and cannot be read must not be replaced: passwords are sealed under it.
    if ((error as { code?: string }).code !== "ENOENT") throw error;
    const key = `dev:${randomBytes(32).toString("base64")}`;
    await writeFile(file, `${key}\n`, { mode: 0o600 });
    return key;
  }
}
