import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import process from "node:process";
import { fileURLToPath } from "node:url";
import {
  chromiumCacheDir,
  type Exit,
  freePort,
  openMongod,
  openNatsServer,
  type RunningServer,
  userCacheDir,
} from "@posthaste/embedded";
import { brokerAccounts, type BrokerUser, openBus } from "@posthaste/messaging";
import { fileVariableOf, permissionsFor, PERMITTED_SERVICES } from "@posthaste/runtime";
import {
  applyUsers,
  type DatabaseUser,
  isDatabaseUser,
  openStore,
  readMasterKeys,
  sealingKeyOf,
  writeSealingKey,
} from "@posthaste/storage";
import { buildDashboard } from "./build_dashboard.ts";
import { openDenoRuntime, type Runtime, runtimeOf } from "./deno_runtime.ts";
import { keepBroker } from "./keep_broker.ts";
import { compiledDirOf, nodeFlags, writableFolders } from "./node_flags.ts";
import { type ServiceProcess, startService } from "./service_process.ts";
import { keptUsers, loginAs, type Users } from "./users.ts";
import { type PartName, type ServiceName, SERVICES } from "./part_name.ts";

/** Where the parts listen; 0 or nothing takes any free port. */
export interface StackPorts {
  api?: number | undefined;
  dashboard?: number | undefined;
  nats?: number | undefined;
  mongodb?: number | undefined;
}

/** What to start, and the folder of its data. */
export interface StackOptions {
  /** The environment that settings are taken from. `MONGODB_URL` and `NATS_URL` replace our own. */
  env: Record<string, string | undefined>;
  /** Folder for all data; made if missing. */
  dataDir: string;
  /** Whether the data is temporary. */
  isTemporary?: boolean;
  ports?: StackPorts;
  /** Whether the dashboard is started, and built before if its sources changed. @default {true} */
  dashboard?: boolean;
  /** Whether the webhooks service is started. @default {as the dashboard} */
  webhooks?: boolean;
  /** Starts the development inbox as well. */
  inbox?: { webPort: number; smtpPort: number };
  /** The runtime of the services. @default {whatever `POSTHASTE_RUNTIME` says, or this process} */
  runtime?: Runtime | undefined;
  /**
   * Folder for a CPU profile of each service, written as it ends. They then run without Node's permission
   * model, which forbids writing a profile.
   */
  profileDir?: string | undefined;
  /** More settings, by service. */
  settings?: Partial<Record<ServiceName, Record<string, string>>>;
  /** Done beside the start of the services, once database and broker are there. */
  prepare?: (urls: { mongodbUrl: string; natsUrl: string }) => Promise<void>;
  /** Aborts the start: running parts are stopped, and the signal's reason is thrown. */
  signal?: AbortSignal;
  /** Called with a line about the progress. */
  onProgress?: (line: string) => void;
  /** Every line that a service prints. */
  onLine?: (service: ServiceName | "inbox", line: string) => void;
  /** Called when a part ends unexpectedly. */
  onUnexpectedExit?: (part: PartName, reason: string) => void;
}

/** The whole system, running on this machine. */
export interface Stack extends AsyncDisposable {
  /** Of the operator's users: services have others. */
  readonly mongodbUrl: string;
  readonly natsUrl: string;
  /** Base of the interface; ends with `/v1`. */
  readonly apiUrl: string;
  /** Where the dashboard is, if it was started. */
  readonly dashboardUrl: string;
  /** File with the keys that open SMTP passwords; not there if `MASTER_KEY` is set. */
  readonly masterKeyFile: string;
  readonly masterKey: string;
  /** Opens the secrets of webhook endpoints. */
  readonly webhookKey: string;
  /** Our own broker and database, where no other ones were given. */
  readonly nats: RunningServer | undefined;
  readonly mongod: RunningServer | undefined;
  readonly services: ReadonlyMap<ServiceName | "inbox", ServiceProcess>;
  /** Starts a part, which has ended, again; nothing once the stack stops. */
  restart(name: PartName): Promise<void>;
}

/** An aborted start waits this long for servers that cannot be stopped in order. */
const LET_GO_MS = 3000;

/**
 * Starts broker, database and every service, each as a process of its own, and waits until all are
 * ready. Disposing stops all of them, the last started first; none survives this process.
 *
 * @throws {Error} If a part does not start, with what to do about it; the others are stopped again.
 */
export async function openStack(options: StackOptions): Promise<Stack> {
  const { env, dataDir, onProgress, profileDir, ports = {} } = options;
  await mkdir(dataDir, { recursive: true });
  await using opened = new AsyncDisposableStack();
  const users = await keptUsers(join(dataDir, "users.json"));
  const built = opened.use(startBuild(options));
  const { mongod, nats } = await startServers(options, { opened, users });
  const addresses = addressesOf({ mongod, nats, env, users });
  const { mongodbUrl, natsUrl } = addresses.operator;
  onProgress?.("creating streams and indexes");
  await allDone([
    (mongod ? applyDatabaseUsers(mongod.url, users) : Promise.resolve())
      .then(() => migrateDatabase(mongodbUrl))
      .catch((cause) => {
        throw mongod ? cause : notUsable("MONGODB_URL", cause);
      }),
    migrateBroker(natsUrl).catch((cause) => {
      throw nats ? cause : notUsable("NATS_URL", cause);
    }),
  ]);
  options.signal?.throwIfAborted();

  const masterKeyFile = env["MASTER_KEY_FILE"] || join(dataDir, "master.key");
  const masterKey = env["MASTER_KEY"] || await keptKey(masterKeyFile, "dev:");
  const webhookKey = env["WEBHOOK_KEY"] || await keptKey(join(dataDir, "webhook.key"), "dev:");
  const secondFactorKey = env["SECOND_FACTOR_KEY"] ||
    await keptKey(join(dataDir, "second_factor.key"), "");
  const apiPort = ports.api || await freePort();
  const dashboardPort = ports.dashboard || await freePort();
  const apiUrl = `http://127.0.0.1:${apiPort}/v1`;
  // The cookie needs TLS or this very name.
  const dashboardUrl = `http://localhost:${dashboardPort}`;
  const common = {
    ...env,
    // The inbox, and servers of tests, are on this machine.
    EGRESS_ALLOW: ["127.0.0.0/8", "::1", env["EGRESS_ALLOW"] ?? ""].join(),
    // Each service gets only its own.
    ...withoutSecrets(),
    PORT: String(apiPort),
    HOST: "127.0.0.1",
    // Outside of the data: unpacking Chromium takes seconds, and its result never differs.
    CACHE_DIR: chromiumCacheDir(env),
  };
  const compiledDir = env["NODE_COMPILE_CACHE"] || join(userCacheDir(env), "compiled");
  const deno = (options.runtime ?? runtimeOf(env)) === "node" ? undefined : openDenoRuntime({
    env: common,
    root: ROOT,
    cacheDir: common.CACHE_DIR,
    temporaryDir: join(dataDir, "pdf"),
  });
  const envOf = async (name: ServiceName | "inbox") => ({
    ...common,
    ...await deno?.envOf(name),
    // Saves a third of the CPU that the start of the services takes.
    NODE_COMPILE_CACHE: compiledDirOf(name, { compiledDir }),
    ...(name === "inbox" ? {} : secretsOf(name, {
      env,
      made: {
        ...addresses.services[name],
        MASTER_KEY: masterKey,
        SEALING_KEY: writeSealingKey(sealingKeyOf(readMasterKeys(masterKey))),
        WEBHOOK_KEY: webhookKey,
        WEBHOOK_SEALING_KEY: writeSealingKey(sealingKeyOf(readMasterKeys(webhookKey))),
        SECOND_FACTOR_KEY: secondFactorKey,
      },
    })),
    ...(name === "api" ? { MANAGE_URL: `${dashboardUrl}/manage/v1` } : {}),
    ...(name === "dashboard"
      ? {
        // That it is set both ways is a fault, which the dashboard reports.
        SECOND_FACTOR_KEY_FILE: env["SECOND_FACTOR_KEY_FILE"],
        PORT: String(dashboardPort),
        PUBLIC_URL: dashboardUrl,
        API_URL: apiUrl,
        TRY_API_URL: apiUrl,
      }
      : {}),
  });
  const flagOptions = {
    env: common,
    root: ROOT,
    cacheDir: common.CACHE_DIR,
    compiledDir,
    inboxDir: join(dataDir, "inbox"),
  };
  const flagsOf = async (name: ServiceName | "inbox") => {
    // The build is read then.
    if (name === "dashboard") await built.done;
    const folders = writableFolders(name, flagOptions);
    await Promise.all(folders.map((folder) => mkdir(folder, { recursive: true })));
    if (profileDir === undefined) return nodeFlags(name, flagOptions);
    return ["--cpu-prof", `--cpu-prof-dir=${profileDir}`];
  };
  const commandOf = async (name: ServiceName | "inbox", settings: StackOptions["env"]) => {
    const flags = await flagsOf(name);
    return await deno?.commandOf(name, settings) ?? [process.execPath, ...flags] as const;
  };
  const runner = opened.use(openRunner(options, { envOf, commandOf }));
  onProgress?.("starting the services");
  const failing = new AbortController();
  const names = [
    ...(options.inbox ? ["inbox"] as const : []),
    ...servicesOf(options),
  ];
  await allDone([
    ...names.map((name) => runner.start(name, failing.signal)),
    options.prepare?.({ mongodbUrl, natsUrl }),
  ].map((start) =>
    start?.catch((error) => {
      // The others need not become ready; they then throw this error.
      failing.abort(error);
      throw error;
    })
  ));
  options.signal?.throwIfAborted();
  opened.use(await keepBroker(natsUrl));
  const parts = opened.move();
  return {
    mongodbUrl,
    natsUrl,
    apiUrl,
    dashboardUrl,
    masterKeyFile,
    masterKey,
    webhookKey,
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

/** Chooses the services that are started, in their order. */
function servicesOf({ dashboard = true, webhooks = dashboard }: StackOptions): ServiceName[] {
  return SERVICES.filter((name) =>
    name === "dashboard" ? dashboard : name === "webhooks" ? webhooks : true
  );
}

/** Removes every secret from an environment that services share, as a value and as a file. */
function withoutSecrets(): Record<string, undefined> {
  const names = PERMITTED_SERVICES.flatMap((name) => permissionsFor(name).secrets ?? []);
  return Object.fromEntries(
    names.flatMap((name) => [[name, undefined], [fileVariableOf(name), undefined]]),
  );
}

/** Returns the secrets that a service may have: those made here, and the given ones. */
function secretsOf(
  name: ServiceName,
  { env, made }: { env: StackOptions["env"]; made: Readonly<Record<string, string>> },
): StackOptions["env"] {
  const { secrets = [] } = permissionsFor(name);
  return Object.fromEntries(secrets.flatMap((variable) => {
    if (variable in made) return [[variable, made[variable]]];
    return [variable, fileVariableOf(variable)].map((each) => [each, env[each]]);
  }));
}

/** Builds the dashboard beside the start of the servers; disposing aborts it. */
function startBuild({ dashboard, onProgress, signal }: StackOptions) {
  const stopping = new AbortController();
  const signals = [stopping.signal, ...(signal ? [signal] : [])];
  const done = dashboard === false
    ? Promise.resolve()
    : buildDashboard({ root: ROOT, onProgress, signal: AbortSignal.any(signals) });
  // Callers that wait for it get the error; there may be none if the servers do not start.
  done.catch(() => {});
  return {
    done,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await done.catch(() => {});
    },
  };
}

const ROOT = fileURLToPath(new URL("..", import.meta.url));

interface Addresses {
  operator: { mongodbUrl: string; natsUrl: string };
  services: Record<ServiceName, Record<string, string>>;
}

/**
 * Returns the servers' addresses for each service: with its own user at our servers, with the given login at
 * others.
 */
function addressesOf({ mongod, nats, env, users }: {
  mongod: RunningServer | undefined;
  nats: RunningServer | undefined;
  env: StackOptions["env"];
  users: Users;
}): Addresses {
  const { database, broker } = users;
  const mongodbAs = (user: DatabaseUser | "operator") =>
    mongod
      ? loginAs(mongod.url, user, database[user]).replace("authSource=local", "authSource=admin")
      : env["MONGODB_URL"] ?? "";
  const natsAs = (user: BrokerUser | "operator") =>
    nats ? loginAs(nats.url, user, broker[user]) : env["NATS_URL"] ?? "";
  const operatorsNats = nats
    ? `${natsAs("operator")}?api=${apiPrefixOf(users)}`
    : natsAs("operator");
  const servicesFor = (name: ServiceName) => ({
    NATS_URL: natsAs(name),
    // A service that dials no database has no user there.
    ...(isDatabaseUser(name) ? { MONGODB_URL: mongodbAs(name) } : {}),
  });
  return {
    operator: { mongodbUrl: mongodbAs("operator"), natsUrl: operatorsNats },
    services: {
      api: servicesFor("api"),
      renderer: servicesFor("renderer"),
      pdf: servicesFor("pdf"),
      mailer: servicesFor("mailer"),
      tracker: servicesFor("tracker"),
      webhooks: servicesFor("webhooks"),
      dashboard: servicesFor("dashboard"),
    },
  };
}

async function applyDatabaseUsers(url: string, { database }: Users): Promise<void> {
  const { operator, ...services } = database;
  await applyUsers(url, { operator, services });
}

async function startServers(
  options: StackOptions,
  { opened, users }: { opened: AsyncDisposableStack; users: Users },
) {
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
    env["MONGODB_URL"] ? undefined : openMongod({
      ...part("mongod", "mongodb"),
      port: ports.mongodb,
      key: users.replicaSetKey,
    }).then((server) => mongod = server),
    env["NATS_URL"] ? undefined : openNatsServer({
      ...part("nats", "nats"),
      port: ports.nats,
      accounts: brokerAccounts({
        operator: users.broker.operator,
        services: users.broker,
        apiPrefix: apiPrefixOf(users),
      }),
    }).then((server) => nats = server),
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

function apiPrefixOf({ apiSecret }: Users): string {
  return `OPERATOR.${apiSecret}`;
}

/** Waits for all, then throws the error of the first that failed. */
async function allDone(promises: readonly (Promise<unknown> | undefined)[]): Promise<void> {
  const results = await Promise.allSettled(promises);
  const failed = results.find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
}

interface Runner extends AsyncDisposable {
  services: ReadonlyMap<ServiceName | "inbox", ServiceProcess>;
  /** Does nothing after it is disposed; a signal aborts the start. */
  start(name: ServiceName | "inbox", signal?: AbortSignal): Promise<void>;
}

/** Starts services and keeps track of them: one that was restarted takes the place of the old. */
function openRunner(
  options: StackOptions,
  { envOf, commandOf }: {
    envOf(name: ServiceName | "inbox"): Promise<Record<string, string | undefined>>;
    /** What it is started with, for its whole environment; what it may write is there then. */
    commandOf(
      name: ServiceName | "inbox",
      env: StackOptions["env"],
    ): Promise<readonly [string, ...string[]]>;
  },
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
      env: { ...await envOf(name), ...settingsOf(name, options) },
      command: (env) => commandOf(name, env),
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

/** Returns the error about an external server that is unusable. */
function notUsable(name: string, cause: unknown): Error {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new Error(
    `Cannot use ${name}: ${reason}; check that the server runs and accepts this user, or unset ` +
      `${name} to start one here`,
    { cause },
  );
}

async function keptKey(file: string, prefix: string): Promise<string> {
  try {
    return (await readFile(file, "utf8")).trim();
  } catch (error) {
    // An existing key that cannot be read must not be replaced: secrets are sealed under it.
    if ((error as { code?: string }).code !== "ENOENT") throw error;
    const key = prefix + randomBytes(32).toString("base64");
    await writeFile(file, `${key}\n`, { mode: 0o600 });
    return key;
  }
}
