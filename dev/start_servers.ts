import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Exit, openMongod, openNatsServer, type RunningServer } from "@posthaste/embedded";
import { brokerAccounts, openBus } from "@posthaste/messaging";
import { applyUsers, openStore } from "@posthaste/storage";
import { allDone } from "./all_done.ts";
import type { PartName } from "./part_name.ts";
import type { StackOptions } from "./stack_options.ts";
import { apiPrefixOf, type Servers } from "./server_addresses.ts";
import type { Users } from "./users.ts";

/** An aborted start waits this long for servers that cannot be stopped in order. */
const LET_GO_MS = 3000;

/** Starts the database and the broker where the environment names none. `opened` stops them again. */
export async function startServers(
  options: StackOptions,
  { opened, users }: { opened: AsyncDisposableStack; users: Users },
): Promise<Servers> {
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

/**
 * Applies users, indexes and streams.
 *
 * @throws {Error} If a server cannot be used, with what to do about it.
 */
export async function prepareServers(
  { mongod, nats }: Servers,
  { mongodbUrl, natsUrl, users }: { mongodbUrl: string; natsUrl: string; users: Users },
): Promise<void> {
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
}

async function applyDatabaseUsers(url: string, { database }: Users): Promise<void> {
  const { operator, ...services } = database;
  await applyUsers(url, { operator, services });
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
