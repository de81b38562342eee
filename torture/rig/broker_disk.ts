import { join } from "node:path";
import process from "node:process";
import { findNatsServer, freePort, type NatsServerOptions } from "@posthaste/embedded";
import { openSmallDisk, type SmallDisk } from "./small_disk.ts";

/** A disk that the broker has for itself. */
export interface BrokerDisk extends SmallDisk {
  /** To be started with, so that its streams lie there. */
  readonly options: Pick<NatsServerOptions, "env" | "monitorPort">;
  /** Whether the broker can store: what its liveness probe asks, to have it restarted if not. */
  isHealthy(): Promise<boolean>;
}

/**
 * Mounts a disk for the streams of a broker whose data is in a folder.
 *
 * @throws {NotPossibleError} If this machine allows nobody here to mount anything.
 */
export async function openBrokerDisk(dataDir: string, megabytes: number): Promise<BrokerDisk> {
  const { env } = process;
  const { file } = await findNatsServer(env);
  const bin = join(dataDir, "bin");
  const dir = join(dataDir, "jetstream");
  const monitorPort = await freePort();
  const disk = await openSmallDisk({ dir, megabytes, program: file, bin });
  return {
    ...disk,
    options: { env: { ...env, PATH: `${bin}:${env["PATH"]}` }, monitorPort },
    async isHealthy() {
      const signal = AbortSignal.timeout(3000);
      const url = `http://127.0.0.1:${monitorPort}/healthz`;
      return await fetch(url, { signal }).then(({ ok }) => ok, () => false);
    },
  };
}
