import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { type JetStreamManager, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import {
  openMongod,
  openMongodReplicaSet,
  openMongodShards,
  openNatsCluster,
  openNatsServer,
  type RunningServer,
} from "@posthaste/embedded";
import { openBus } from "@posthaste/messaging";
import { openStore, type Store } from "@posthaste/storage";
import { openPods, type Pods } from "@posthaste/chaos";
import { type Db, MongoClient } from "mongodb";

/** Broker, database, and a keeper of services; no service runs yet. */
export interface StageFixture extends AsyncDisposable {
  readonly nats: readonly RunningServer[];
  readonly mongod: readonly RunningServer[];
  readonly pods: Pods;
  readonly store: Store;
  /** A direct connection to the database. */
  readonly db: Db;
  /** The client that writes only what one member knows: for clearing away. */
  readonly manager: JetStreamManager;
  /** Folder for what belongs to this fixture. */
  readonly dataDir: string;
  /** Bases of the interface that run now. */
  apiUrls(): string[];
  /** Warnings of the services. */
  readonly warnings: string[];
}

const DATABASE = "posthaste";

/** How many of each server there are: one, or three that keep copies of everything. */
export type Replicas = 1 | 3;

/** The first ids of the second shard, in the middle of the characters that accounts have. */
const MIDDLE_OF = { sends: "snd_f", messages: "msg_f", attempts: "msg_f" };

/** Options of {@linkcode openStageFixture}. */
export interface StageFixtureOptions {
  /** Whether the ledger is divided between two databases without copies. @default {false} */
  isSharded?: boolean;
}

/** Starts the servers as production has them: waits and limits are those of the product. */
export async function openStageFixture(
  replicas: Replicas,
  { isSharded = false }: StageFixtureOptions = {},
): Promise<StageFixture> {
  const dataDir = await mkdtemp(join(tmpdir(), "posthaste-cluster-"));
  await using opened = new AsyncDisposableStack();
  opened.defer(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }));
  await mkdir(join(dataDir, "tmp"));
  const warnings: string[] = [];
  const part = (name: string) => ({
    env: process.env,
    dataDir: join(dataDir, name),
    isTemporary: true,
    onUnexpectedExit: () => void warnings.push(`${name} ended by itself`),
  });
  const { nats, mongod, natsUrl, mongodbUrl, divide } = isSharded
    ? await startShards({ opened, part })
    : await startServers(replicas, { opened, part });
  const store = opened.use(await openStore({ url: mongodbUrl, appName: "cluster" }));
  await store.ensureIndexes();
  await divide?.();
  {
    await using bus = await openBus({ url: natsUrl, name: "cluster" });
    await bus.applyTopology({ replicas });
  }
  const client = opened.use(new MongoClient(mongodbUrl));
  const connection = await connect({ servers: natsUrl.split(","), name: "cluster" });
  opened.defer(() => connection.close());
  const manager = await jetstreamManager(connection, { timeout: 10_000 });
  let urls: string[] = [];
  const pods = opened.use(openPods({
    mongodbUrl,
    natsUrl,
    dataDir,
    // Nothing is refused because the machine is busy: all that is asked for is to be measured.
    settings: {
      api: { TRANSACTIONAL_RATE: "0", ACCOUNT_BODY_MEMORY: "256MB", LEDGER_TIMEOUT: "30s" },
    },
    onApis: (apis) => urls = apis.map(({ url }) => url),
    onLine: (pod, line) => {
      if (/"(warn|error|fatal)"/i.test(line)) warnings.push(`${pod}: ${line}`);
    },
  }));
  const parts = opened.move();
  return {
    ...{ nats, mongod, pods, store, manager, dataDir, warnings },
    db: client.db(DATABASE),
    apiUrls: () => urls,
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

type Part = (name: string) => {
  env: NodeJS.ProcessEnv;
  dataDir: string;
  isTemporary: boolean;
  onUnexpectedExit: () => void;
};

/** Brokers and databases that run. */
interface Servers extends Pick<StageFixture, "nats" | "mongod"> {
  natsUrl: string;
  mongodbUrl: string;
  /** Divides the ledger among shards, once its indexes exist. */
  divide?(): Promise<void>;
}

async function startServers(
  replicas: Replicas,
  { opened, part }: { opened: AsyncDisposableStack; part: Part },
): Promise<Servers> {
  if (replicas === 1) {
    const [mongod, nats] = await Promise.all([
      openMongod(part("mongodb")).then((server) => opened.use(server)),
      openNatsServer(part("nats")).then((server) => opened.use(server)),
    ]);
    return { nats: [nats], mongod: [mongod], natsUrl: nats.url, mongodbUrl: mongod.url };
  }
  const [set, cluster] = await Promise.all([
    openMongodReplicaSet(part("mongodb")).then((servers) => opened.use(servers)),
    openNatsCluster(part("nats")).then((servers) => opened.use(servers)),
  ]);
  return {
    nats: cluster.members,
    mongod: set.members,
    natsUrl: cluster.url,
    mongodbUrl: set.url,
  };
}

async function startShards(
  { opened, part }: { opened: AsyncDisposableStack; part: Part },
): Promise<Servers> {
  const [cluster, nats] = await Promise.all([
    openMongodShards(part("mongodb")).then((servers) => opened.use(servers)),
    openNatsServer(part("nats")).then((server) => opened.use(server)),
  ]);
  return {
    nats: [nats],
    mongod: cluster.shards.map(({ server }) => server),
    natsUrl: nats.url,
    mongodbUrl: cluster.url,
    async divide() {
      for (const [name, middle] of Object.entries(MIDDLE_OF)) {
        await cluster.divide(`${DATABASE}.${name}`, middle);
      }
    },
  };
}
