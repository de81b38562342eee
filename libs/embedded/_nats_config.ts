/** The options in which nats-servers differ. */
export interface NatsConfig {
  /** TCP port on the loopback interface. */
  port: number;
  /** Folder of the streams, and of the file into which the server writes its port. */
  dataDir: string;
  /** The most bytes of all streams on the disk. */
  maxFileStoreBytes: number;
  /** The most bytes of memory streams. */
  maxMemoryStoreBytes: number;
  /** TCP port on the loopback interface for `/varz`, `/jsz` and `/healthz`; none if undefined. */
  monitorPort?: number | undefined;
  /** Its accounts, as a part of the configuration. Without it, every client has all rights. */
  accounts?: string | undefined;
  /** Its membership in a cluster, if it has one. */
  cluster?: NatsClusterMember | undefined;
}

/** A server's settings of its cluster. */
export interface NatsClusterMember {
  /** Name of the server, unique in the cluster. */
  serverName: string;
  /** TCP port on the loopback interface for the other members. */
  port: number;
  /** TCP ports on the loopback interface through which it reaches the other members. */
  routePorts: readonly number[];
  /** Whether others may learn its port from a third one. @default {true} */
  isAdvertised?: boolean | undefined;
}

/**
 * Returns the configuration file of a nats-server with JetStream that listens on the loopback interface.
 * Written data reaches the disk within a second (`sync_interval`; the default is two minutes): the ledger
 * still has what a power cut loses. A dead client is noticed within 30 s. One option per line: JetStream's
 * one-line form does not parse.
 */
export function natsConfig(config: NatsConfig): string {
  return [
    `host: "127.0.0.1"`,
    `port: ${config.port}`,
    `ports_file_dir: ${JSON.stringify(config.dataDir)}`,
    ...(config.monitorPort === undefined ? [] : [`http: "127.0.0.1:${config.monitorPort}"`]),
    `max_payload: 1MB`,
    `ping_interval: "10s"`,
    `ping_max: 2`,
    `write_deadline: "10s"`,
    `jetstream {`,
    `  store_dir: ${JSON.stringify(config.dataDir)}`,
    `  sync_interval: "1s"`,
    `  max_file_store: ${config.maxFileStoreBytes}`,
    `  max_memory_store: ${config.maxMemoryStoreBytes}`,
    `}`,
    ...(config.accounts === undefined ? [] : [config.accounts]),
    ...(config.cluster === undefined ? [] : clusterLines(config.cluster)),
    ``,
  ].join("\n");
}

/** Others that learn this address find nobody there: they keep to their own routes. */
const NOWHERE = "127.0.0.1:1";

function clusterLines(
  { serverName, port, routePorts, isAdvertised = true }: NatsClusterMember,
): string[] {
  const routes = routePorts.map((other) => `"nats://127.0.0.1:${other}"`).join(", ");
  return [
    `server_name: ${JSON.stringify(serverName)}`,
    `cluster {`,
    `  name: "posthaste"`,
    `  listen: "127.0.0.1:${port}"`,
    ...(isAdvertised ? [] : [`  advertise: "${NOWHERE}"`]),
    `  routes: [${routes}]`,
    `}`,
  ];
}
