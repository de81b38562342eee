import { join } from "node:path";
import { commandOn, initiateReplicaSet, primaryOf } from "./_replica_set.ts";
import type { RunningServer } from "./_restartable.ts";
import type { Exit } from "./_supervised.ts";
import { freePort } from "./free_port.ts";
import type { FindMongodOptions } from "./mongod_binary.ts";
import { openMongodMember } from "./mongod_server.ts";

/** How to start a sharded cluster. */
export interface MongodShardsOptions extends FindMongodOptions {
  /** Folder that contains a folder for each shard. */
  dataDir: string;
  /** Memory for each server's cache in GB, at least 0.25. @default {0.25} */
  cacheGb?: number | undefined;
  /** Whether the data is temporary: removed even if this process is killed. */
  isTemporary?: boolean | undefined;
  /** Called when a server ends without a request from this process. */
  onUnexpectedExit?: ((exit: Exit) => void) | undefined;
}

/** A shard: a replica set of one mongod. Its `url` leads to its own documents, past the router. */
export interface MongodShard {
  /** Its name in the cluster's commands. */
  readonly name: string;
  readonly server: RunningServer;
}

/** Two shards on this machine. Disposing stops them. */
export interface MongodShards extends AsyncDisposable {
  /** Leads to the router, which is part of the first shard's mongod. */
  readonly url: string;
  /** The first one also holds the configuration of the cluster. */
  readonly shards: readonly [MongodShard, MongodShard];
  /** Divides a collection by `_id`: from `middle` on, documents belong to the second shard. */
  divide(namespace: string, middle: unknown): Promise<void>;
}

const START_TIMEOUT_MS = 60_000;
const ELECTION_TIMEOUT_MS = 2000;
const CONFIG_SET = "rs0";
const OTHER_SET = "rs1";

/** The name that MongoDB gives to a shard that is also the configuration's replica set. */
const CONFIG_SHARD = "config";

/**
 * Starts two mongods on 127.0.0.1 as a sharded cluster and returns when it accepts writes. No collection is
 * sharded yet: all documents are in the first shard. The router is the one that mongod 8.2 has behind a
 * feature flag, because only mongod comes as an npm package. It is not for production.
 *
 * @throws {Error} If no mongod was found, it has no router, or the cluster did not accept writes in time.
 */
export async function openMongodShards(options: MongodShardsOptions): Promise<MongodShards> {
  await using opened = new AsyncDisposableStack();
  const routerPort = await freePort();
  const open = async (replicaSet: string, extraArguments: readonly string[]) => {
    const dataDir = join(options.dataDir, replicaSet);
    return opened.use(
      await openMongodMember({ ...options, dataDir, replicaSet, extraArguments }),
    );
  };
  const router = ["--routerPort", String(routerPort)];
  const flag = ["--setParameter", "featureFlagRouterPort=true"];
  const first = await open(CONFIG_SET, ["--configsvr", ...router, ...flag]);
  const second = await open(OTHER_SET, ["--shardsvr"]);
  await initiate(first, { name: CONFIG_SET, isConfig: true });
  await initiate(second, { name: OTHER_SET });
  await commandOn(routerPort, { transitionFromDedicatedConfigServer: 1 });
  await commandOn(routerPort, { addShard: `${OTHER_SET}/127.0.0.1:${second.port}` });
  const all = opened.move();
  return {
    url: `mongodb://127.0.0.1:${routerPort}/`,
    shards: [{ name: CONFIG_SHARD, server: first }, { name: OTHER_SET, server: second }],
    async divide(namespace, middle) {
      await commandOn(routerPort, { shardCollection: namespace, key: { _id: 1 } });
      await commandOn(routerPort, { split: namespace, middle: { _id: middle } });
      const upper = { moveRange: namespace, min: { _id: middle }, toShard: OTHER_SET };
      const lower = { moveRange: namespace, max: { _id: middle }, toShard: CONFIG_SHARD };
      await commandOn(routerPort, upper);
      await commandOn(routerPort, lower);
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

async function initiate(
  { port }: RunningServer,
  set: { name: string; isConfig?: boolean },
): Promise<void> {
  await initiateReplicaSet([port], { electionTimeoutMs: ELECTION_TIMEOUT_MS, ...set });
  await primaryOf([port], START_TIMEOUT_MS);
}
