/**
 * The embedded servers: the real broker and database that Posthaste uses, found or downloaded and started on
 * this machine.
 *
 * ```ts
 * await using nats = await openNatsServer({ env: process.env, dataDir: "data/nats", port: 4222 });
 * await using mongod = await openMongod({ env: process.env, dataDir: "data/mongo", port: 27017 });
 * ```
 *
 * @module
 */
export { freePort } from "./free_port.ts";
export { findMongod, type FindMongodOptions } from "./mongod_binary.ts";
export {
  type MongodReplicaSet,
  type MongodReplicaSetOptions,
  openMongodReplicaSet,
} from "./mongod_replica_set.ts";
export { type MongodShards, type MongodShardsOptions, openMongodShards } from "./mongod_shards.ts";
export { isRunning } from "./is_running.ts";
export { type MongodOptions, openMongod } from "./mongod_server.ts";
export { findNatsServer, type FoundProgram } from "./nats_binary.ts";
export {
  type NatsCluster,
  type NatsClusterOptions,
  type NatsMember,
  type NatsRoute,
  openNatsCluster,
} from "./nats_cluster.ts";
export { type NatsServerOptions, openNatsServer } from "./nats_server.ts";
export { chromiumCacheDir, type Env, userCacheDir } from "./user_cache_dir.ts";
export { type MongoContents, openMongoContents } from "./_replica_set.ts";
export type { RunningServer } from "./_restartable.ts";
export type { Exit } from "./_supervised.ts";
