import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { MAIL_SERVICES, type ServiceName } from "@posthaste/dev";
import {
  type MongodReplicaSet,
  type NatsCluster,
  openMongod,
  openMongodReplicaSet,
  openNatsCluster,
  openNatsServer,
  type RunningServer,
} from "@posthaste/embedded";
import { openBus } from "@posthaste/messaging";
import { parseDuration } from "@posthaste/runtime";
import { openStore, type Store } from "@posthaste/storage";
import { testCertificate } from "@posthaste/testing";
import { MongoClient } from "mongodb";
import { type BrokerDisk, openBrokerDisk } from "./broker_disk.ts";
import type { Baseline } from "../ledgers/baseline.ts";
import type { Waits } from "../ledgers/time_bound.ts";
import { openDatabaseDisk } from "./database_disk.ts";
import { openPods, type Pods, type Settings } from "./pods.ts";
import type { SmallDisk } from "./small_disk.ts";
import { openTcpProxy, type TcpProxy } from "./tcp_proxy.ts";
import { warmUp } from "./warm_up.ts";

/** The whole system, each part a process that can be ended, stopped and started again. */
export interface Rig extends AsyncDisposable {
  readonly dataDir: string;
  /** Of broker and database. Of three members each, if there are so many. */
  readonly natsUrl: string;
  readonly mongodbUrl: string;
  readonly servers: Servers;
  readonly store: Store;
  /** The database from behind. */
  readonly mongo: MongoClient;
  readonly pods: Pods;
  /** Ways of the services to broker and database, where a fault cuts them. */
  readonly ways: readonly Way[];
  /** The ports by which the services reach broker and database, in texts. */
  readonly reached: { broker: string; database: string };
  /** What the services hold open while nothing is done. */
  readonly baseline: Baseline;
  /** By the settings of the services: how long they wait. */
  readonly waits: Waits;
  /** Told where the interface is, whenever that changes. */
  onApis(listener: (urls: string[]) => void): void;
  /** Servers that ended by themselves. */
  readonly deaths: string[];
}

/** Broker and database: one of each, or three. */
export type Servers =
  | {
    kind: "single";
    mongod: RunningServer;
    nats: RunningServer;
    natsDir: string;
    disk: BrokerDisk | undefined;
    databaseDisk: SmallDisk | undefined;
  }
  | { kind: "three"; mongods: MongodReplicaSet; cluster: NatsCluster };

/** The way of one service, all its processes, to the broker or to the database. */
export interface Way {
  role: ServiceName;
  to: "broker" | "database";
  proxy: TcpProxy;
}

/** How the parts are set up. */
export interface RigOptions {
  settings?: Partial<Record<ServiceName, Settings>> | undefined;
  /** The copy of the repository that services are started from. @default this one */
  root?: string | undefined;
  /** Three brokers and three databases instead of one each. */
  three?: boolean | undefined;
  /** Megabytes of a disk that the one broker has for itself. */
  brokerDisk?: number | undefined;
  /** Megabytes of a disk that the one database has for itself. */
  databaseDisk?: number | undefined;
  /** Whether the ways of the services to the one broker and the one database can be cut. */
  proxied?: boolean | undefined;
  /** Processes of each service at the start. @default {1} */
  each?: number | undefined;
  onLine?(pod: string, line: string): void;
}

/** What a lost worker had in hand comes again after this long instead of 30 s. */
export const ACK_WAIT_MS = 3000;

/** A mail may take so long up to its final dot instead of 5 min. */
export const TRANSFER_MS = 4000;

/** The first wait of a retry, instead of a minute; the others are the same multiples of it. */
export const RETRY_MS = 250;

/** A server that cannot be reached is left alone for so long at first, instead of 30 s. */
const CIRCUIT_MS = 500;

/** A server may think about a mail for so long instead of 10 min. */
export const REPLY_MS = 2000;

/**
 * Settings for outages of the database: like the 15 minutes of production, the time that a mailer has
 * for the outcome of a mail that it has handed over is longer than any of them.
 */
export const OUTLASTING: Partial<Record<ServiceName, Settings>> = {
  mailer: { REPLY_TIMEOUT: "20s" },
};

/** The sweeper is patient for so long instead of 30 s. */
const GRACE_MS = 2000;

/**
 * Connections that nobody uses are closed after so long, instead of never by the database's driver,
 * which keeps up to 50 in each process, and after 30 s by a mailer: what is left then is lost.
 */
const IDLE_MS = 1000;

const QUICK: Partial<Record<ServiceName, Settings>> = {
  tracker: { SWEEP_INTERVAL: "200ms", SWEEP_GRACE: `${GRACE_MS}ms`, RELEASE_INTERVAL: "100ms" },
  mailer: {
    TRANSFER_TIMEOUT: `${TRANSFER_MS}ms`,
    REPLY_TIMEOUT: `${REPLY_MS}ms`,
    RETRY_DELAY: `${RETRY_MS}ms`,
    CIRCUIT_PAUSE: `${CIRCUIT_MS}ms`,
    CONNECTION_IDLE: `${IDLE_MS}ms`,
  },
};

/** Starts the system, and has it send a few mails, with waits that suit a test. */
export async function openRig(options: RigOptions = {}): Promise<Rig> {
  const { root, three = false, proxied = false, each = 1, onLine } = options;
  const dataDir = await mkdtemp(join(tmpdir(), "posthaste-torture-"));
  await using opened = new AsyncDisposableStack();
  opened.defer(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }));
  await mkdir(join(dataDir, "tmp"));
  await writeFile(join(dataDir, "ca.pem"), testCertificate.cert);
  const deaths: string[] = [];
  const part = (name: string) => ({
    env: process.env,
    dataDir: join(dataDir, name),
    isTemporary: true,
    onUnexpectedExit: () => void deaths.push(`${name} ended by itself`),
  });
  const { servers, mongodbUrl, natsUrl } = three
    ? await startThree(opened, part)
    : await startSingle(opened, part, options);
  const store = opened.use(await openStore({ url: mongodbUrl, appName: "torture" }));
  await store.ensureIndexes();
  await quickenTopology(natsUrl, three ? 3 : 1);
  const mongo = new MongoClient(mongodbUrl, { serverSelectionTimeoutMS: 5000 });
  opened.defer(() => mongo.close());
  await mongo.connect();
  const databaseUrl = `${mongodbUrl}&maxIdleTimeMS=${IDLE_MS}`;
  const ways = proxied && servers.kind === "single" ? await openWays(opened, servers) : [];
  const settings = merged(merged(QUICK, options.settings ?? {}), urlsBy(ways, databaseUrl));
  let listener = (_urls: string[]) => {};
  let apis: string[] = [];
  const pods = opened.use(openPods({
    mongodbUrl: databaseUrl,
    natsUrl,
    dataDir,
    root,
    settings,
    onApis: (urls) => listener(apis = urls),
    ...(onLine === undefined ? {} : { onLine }),
  }));
  await Promise.all(
    MAIL_SERVICES.flatMap((role) => Array.from({ length: each }, () => pods.start(role))),
  );
  const portsTo = (to: Way["to"]) =>
    ways.filter((way) => way.to === to).map(({ proxy }) => `:${proxy.port}`).join();
  const reached = {
    broker: portsTo("broker") || natsUrl,
    database: portsTo("database") || mongodbUrl,
  };
  const system = { dataDir, natsUrl, mongodbUrl, store, pods, ways, reached };
  const baseline = await warmUp(system, apis);
  const parts = opened.move();
  return {
    ...system,
    waits: waitsOf(settings),
    servers,
    mongo,
    baseline,
    deaths,
    onApis(next) {
      listener = next;
      listener(apis);
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

/** Makes lost work come again soon; for the start, and after the broker has lost all that it had. */
export async function quickenTopology(natsUrl: string, replicas = 1): Promise<void> {
  await using bus = await openBus({ url: natsUrl, name: "torture" });
  await bus.applyTopology({ ackWaitMs: ACK_WAIT_MS, replicas });
}

type Part = (name: string) => {
  env: NodeJS.ProcessEnv;
  dataDir: string;
  isTemporary: boolean;
  onUnexpectedExit: () => void;
};

interface Started {
  servers: Servers;
  mongodbUrl: string;
  natsUrl: string;
}

async function startSingle(
  opened: AsyncDisposableStack,
  part: Part,
  { brokerDisk, databaseDisk: megabytes }: Pick<RigOptions, "brokerDisk" | "databaseDisk">,
): Promise<Started> {
  const natsPart = part("nats");
  const disk = brokerDisk === undefined
    ? undefined
    : opened.use(await openBrokerDisk(natsPart.dataDir, brokerDisk));
  const mongodPart = part("mongodb");
  const database = megabytes === undefined
    ? undefined
    : await openDatabaseDisk(mongodPart.dataDir, megabytes);
  const databaseDisk = database && opened.use(database.disk);
  const [mongod, nats] = await Promise.all([
    openMongod({ ...mongodPart, ...database?.options }).then((server) => opened.use(server)),
    openNatsServer({ ...natsPart, ...disk?.options }).then((server) => opened.use(server)),
  ]);
  const natsDir = natsPart.dataDir;
  const servers = { kind: "single", mongod, nats, natsDir, disk, databaseDisk } as const;
  return { servers, mongodbUrl: mongod.url, natsUrl: nats.url };
}

async function startThree(opened: AsyncDisposableStack, part: Part): Promise<Started> {
  const [mongods, cluster] = await Promise.all([
    openMongodReplicaSet(part("mongodb")).then((set) => opened.use(set)),
    openNatsCluster(part("nats")).then((set) => opened.use(set)),
  ]);
  const servers = { kind: "three", mongods, cluster } as const;
  return { servers, mongodbUrl: mongods.url, natsUrl: cluster.url };
}

/** Opens a way for each service to each of the two, so that one can be cut and the others not. */
async function openWays(
  opened: AsyncDisposableStack,
  { mongod, nats }: { mongod: RunningServer; nats: RunningServer },
): Promise<Way[]> {
  const ports = { broker: nats.port, database: mongod.port };
  return await Promise.all(
    MAIL_SERVICES.flatMap((role) =>
      (["broker", "database"] as const).map(async (to) => ({
        ...{ role, to },
        proxy: opened.use(await openTcpProxy(ports[to])),
      }))
    ),
  );
}

function urlsBy(ways: readonly Way[], databaseUrl: string): All {
  const urls: All = {};
  for (const { role, to, proxy } of ways) {
    const url = to === "broker"
      ? { NATS_URL: `nats://127.0.0.1:${proxy.port}` }
      : { MONGODB_URL: databaseUrl.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${proxy.port}`) };
    urls[role] = { ...urls[role], ...url };
  }
  return urls;
}

function waitsOf({ mailer, tracker }: All): Waits {
  const ms = (text = "") => parseDuration(text) ?? 0;
  return {
    retryMs: ms(mailer?.["RETRY_DELAY"]),
    circuitMs: ms(mailer?.["CIRCUIT_PAUSE"]),
    transferMs: ms(mailer?.["TRANSFER_TIMEOUT"]),
    replyMs: ms(mailer?.["REPLY_TIMEOUT"]),
    graceMs: ms(tracker?.["SWEEP_GRACE"]),
    sweepMs: ms(tracker?.["SWEEP_INTERVAL"]),
    ackWaitMs: ACK_WAIT_MS,
  };
}

type All = Partial<Record<ServiceName, Settings>>;

function merged(first: All, second: All): All {
  return Object.fromEntries(
    MAIL_SERVICES.map((role) => [role, { ...first[role], ...second[role] }]),
  );
}
