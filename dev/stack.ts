import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openBus } from "@posthaste/messaging";
import { freePort, openMongod, openNatsServer, type RunningServer } from "@posthaste/parts";
import { openStore } from "@posthaste/storage";
import { type ServiceProcess, startService } from "./service_process.ts";

/** The services, in the order in which they start; they stop in the reverse order. */
export const SERVICES = ["tracker", "mailer", "pdf", "renderer", "api"] as const;

/** Name of a service. */
export type ServiceName = (typeof SERVICES)[number];

/** What is started, and where its data lies. */
export interface StackOptions {
  /** The environment that settings are taken from. `MONGODB_URL` and `NATS_URL` replace our own. */
  env: Record<string, string | undefined>;
  /** Folder for all data; made if missing. */
  dataDir: string;
  /** Whether the data is only for now. */
  isTemporary?: boolean;
  /** 0 takes any free port, so for each. */
  ports?: { api?: number; nats?: number; mongodb?: number };
  /** More settings, by service. */
  settings?: Partial<Record<ServiceName, Record<string, string>>>;
  /** Told in a line what goes on. */
  onProgress?: (line: string) => void;
  /** Every line that a service prints. */
  onLine?: (service: ServiceName, line: string) => void;
  /** A part ended that nobody asked to. */
  onUnexpectedExit?: (part: string, reason: string) => void;
}

/** The whole system, running on this machine. */
export interface Stack extends AsyncDisposable {
  readonly mongodbUrl: string;
  readonly natsUrl: string;
  /** Base of the interface; ends with `/v1`. */
  readonly apiUrl: string;
  /** File with the keys that SMTP passwords are sealed under. */
  readonly masterKeyFile: string;
  readonly masterKey: string;
  /** Our own broker and database, where no other ones were given. */
  readonly nats: RunningServer | undefined;
  readonly mongod: RunningServer | undefined;
  readonly services: ReadonlyMap<ServiceName, ServiceProcess>;
  /** Starts a service, which has ended, again. */
  restart(name: ServiceName): Promise<void>;
}

/**
 * Starts broker, database and every service, each as a process of its own, and waits until all are
 * ready. Disposing stops all of them; none survives this process.
 *
 * @throws {Error} If a part does not start, with what to do about it; the others are stopped again.
 */
export async function openStack(options: StackOptions): Promise<Stack> {
  const { env, dataDir, ports = {}, isTemporary = false, onProgress } = options;
  await mkdir(dataDir, { recursive: true });
  await using opened = new AsyncDisposableStack();
  const part = (name: string) => ({
    env,
    dataDir: join(dataDir, name),
    isTemporary,
    onProgress,
    onUnexpectedExit: (exit: unknown) => options.onUnexpectedExit?.(name, JSON.stringify(exit)),
  });
  const [mongod, nats] = await Promise.all([
    env["MONGODB_URL"] ? undefined : openMongod({ ...part("mongodb"), port: ports.mongodb }),
    env["NATS_URL"] ? undefined : openNatsServer({ ...part("nats"), port: ports.nats }),
  ]);
  if (mongod) opened.use(mongod);
  if (nats) opened.use(nats);
  const mongodbUrl = mongod?.url ?? env["MONGODB_URL"] ?? "";
  const natsUrl = nats?.url ?? env["NATS_URL"] ?? "";
  onProgress?.("creating streams and indexes");
  await migrate(mongodbUrl, natsUrl);

  const masterKeyFile = join(dataDir, "master.key");
  const masterKey = env["MASTER_KEY"] ?? await keptMasterKey(masterKeyFile);
  const apiPort = ports.api || await freePort();
  const common = {
    ...env,
    MONGODB_URL: mongodbUrl,
    NATS_URL: natsUrl,
    MASTER_KEY: masterKey,
    PORT: String(apiPort),
    HOST: "127.0.0.1",
    APPLY_TOPOLOGY: "true",
    CACHE_DIR: env["CACHE_DIR"] ?? join(dataDir, "pdf"),
  };
  const services = new Map<ServiceName, ServiceProcess>();
  const start = async (name: ServiceName) => {
    const service = await startService({
      name,
      main: fileURLToPath(new URL(`../services/${name}/main.ts`, import.meta.url)),
      env: { ...common, ...options.settings?.[name] },
      onLine: (line) => options.onLine?.(name, line),
      onUnexpectedExit: (reason) => options.onUnexpectedExit?.(name, reason),
    });
    services.set(name, service);
  };
  // Disposed through the map: a restarted service takes the place of the one that ended.
  opened.defer(async () => {
    for (const name of SERVICES.toReversed()) await services.get(name)?.[Symbol.asyncDispose]();
  });
  onProgress?.("starting the services");
  const started = await Promise.allSettled(SERVICES.map(start));
  const failed = started.find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
  const parts = opened.move();
  return {
    mongodbUrl,
    natsUrl,
    apiUrl: `http://127.0.0.1:${apiPort}/v1`,
    masterKeyFile,
    masterKey,
    nats,
    mongod,
    services,
    restart: start,
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

async function migrate(mongodbUrl: string, natsUrl: string): Promise<void> {
  await using store = await openStore({ url: mongodbUrl, appName: "migration" });
  await store.ensureIndexes();
  await using bus = await openBus({ url: natsUrl, name: "migration" });
  await bus.applyTopology();
}

async function keptMasterKey(file: string): Promise<string> {
  try {
    return (await readFile(file, "utf8")).trim();
  } catch {
    const key = `dev:${randomBytes(32).toString("base64")}`;
    await writeFile(file, `${key}\n`, { mode: 0o600 });
    return key;
  }
}
