/** What may differ between one nats-server and another. */
export interface NatsConfig {
  /** TCP port on the loopback interface; 0 lets the server choose. */
  port: number;
  /** Folder of the streams, and of the file in which the server tells its port. */
  dataDir: string;
  /** Most bytes that all streams together may take on the disk. */
  maxFileStoreBytes: number;
  /** Most bytes that memory streams may take. */
  maxMemoryStoreBytes: number;
}

/**
 * The configuration file of a nats-server with JetStream that listens on the loopback interface.
 * Written data reaches the disk within a second (`sync_interval`; the default is two minutes).
 * One option per line: JetStream's one-line form does not parse.
 */
export function natsConfig(config: NatsConfig): string {
  return [
    `host: "127.0.0.1"`,
    `port: ${config.port === 0 ? -1 : config.port}`,
    `ports_file_dir: ${JSON.stringify(config.dataDir)}`,
    `max_payload: 1MB`,
    `jetstream {`,
    `  store_dir: ${JSON.stringify(config.dataDir)}`,
    `  sync_interval: "1s"`,
    `  max_file_store: ${config.maxFileStoreBytes}`,
    `  max_memory_store: ${config.maxMemoryStoreBytes}`,
    `}`,
    ``,
  ].join("\n");
}
