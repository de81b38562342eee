import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openNatsServer, type RunningServer } from "@posthaste/embedded";

/**
 * Starts a nats-server with JetStream for one test, on a free port and with a folder that is removed when it
 * is disposed. Each test gets its own (it takes some 50 ms): streams have one name for a whole server. Can be
 * killed, stopped for a while by a signal, and restarted with its data.
 *
 * @throws {Error} no nats-server was found, or it did not start
 */
export async function openTestNats(): Promise<RunningServer> {
  const dataDir = await mkdtemp(join(tmpdir(), "posthaste-nats-"));
  try {
    const server = await openNatsServer({ env: process.env, dataDir, isTemporary: true });
    const stop = server[Symbol.asyncDispose];
    server[Symbol.asyncDispose] = async () => {
      await stop();
      await rm(dataDir, { recursive: true, force: true });
    };
    return server;
  } catch (error) {
    await rm(dataDir, { recursive: true, force: true });
    throw error;
  }
}
