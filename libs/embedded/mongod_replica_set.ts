import { join } from "node:path";
import type { FindMongodOptions } from "./mongod_binary.ts";
import { openMongodMember } from "./mongod_server.ts";
import { initiateReplicaSet, primaryOf, REPLICA_SET, stepDown } from "./_replica_set.ts";
import type { RunningServer } from "./_restartable.ts";
import type { Exit } from "./_supervised.ts";

/** How to start a replica set. */
export interface MongodReplicaSetOptions extends FindMongodOptions {
  /** Folder that contains a folder for each member. */
  dataDir: string;
  /** The number of members. @default {3} */
  size?: number | undefined;
  /** Memory for each member's cache in GB, at least 0.25. @default {0.25} */
  cacheGb?: number | undefined;
  /** The others elect a new primary after the old one was silent for this long. @default {2_000} */
  electionTimeoutMs?: number | undefined;
  /** Returns the port by which all know a member, for example of a proxy to it. @default its own port */
  reachVia?: ((port: number) => Promise<number>) | undefined;
  /** Whether the data is temporary: removed even if this process is killed. */
  isTemporary?: boolean | undefined;
  /** Called when a member ends without a request from this process. */
  onUnexpectedExit?: ((exit: Exit) => void) | undefined;
}

/** Several mongods on this machine that hold the same data. Disposing stops them. */
export interface MongodReplicaSet extends AsyncDisposable {
  /** Contains all members: a client finds the primary among them. */
  readonly url: string;
  /** A member's `restart` returns when it accepts connections: it may still be catching up. */
  readonly members: readonly RunningServer[];
  /** Waits until one of the members accepts writes, and returns it. @throws {Error} If none does in 30 s. */
  primary(): Promise<RunningServer>;
  /**
   * Makes the primary step down, and returns the new primary once it accepts writes. The old one cannot be
   * elected again for 10 s.
   */
  stepDown(): Promise<RunningServer>;
}

const START_TIMEOUT_MS = 60_000;
const ELECTION_TIMEOUT_MS = 30_000;

/**
 * Starts mongods on 127.0.0.1 as a replica set and returns when it accepts writes. A member can be killed,
 * paused by a signal, and restarted on its port with its data.
 *
 * @throws {Error} If no mongod was found, or the set did not accept writes in time.
 */
export async function openMongodReplicaSet(
  options: MongodReplicaSetOptions,
): Promise<MongodReplicaSet> {
  const { size = 3, electionTimeoutMs = 2000 } = options;
  await using opened = new AsyncDisposableStack();
  const starting = await Promise.allSettled(
    Array.from({ length: size }, async (_, index) => {
      const dataDir = join(options.dataDir, `m${index + 1}`);
      return opened.use(await openMongodMember({ ...options, dataDir }));
    }),
  );
  const members = starting.map((result) => {
    if (result.status === "rejected") throw result.reason;
    return result.value;
  });
  const ports = members.map(({ port }) => port);
  const { reachVia = (port) => Promise.resolve(port) } = options;
  const knownPorts = await Promise.all(ports.map(reachVia));
  await initiateReplicaSet(knownPorts, { electionTimeoutMs });

  async function primary(timeoutMs = ELECTION_TIMEOUT_MS): Promise<RunningServer> {
    const port = await primaryOf(ports, timeoutMs);
    return members.find((member) => member.port === port) as RunningServer;
  }
  await primary(START_TIMEOUT_MS);
  const all = opened.move();
  return {
    url: `mongodb://${knownPorts.map((port) => `127.0.0.1:${port}`)}/?replicaSet=${REPLICA_SET}`,
    members,
    primary: () => primary(),
    async stepDown() {
      await stepDown((await primary()).port);
      return await primary();
    },
    // All together: a primary that stops hands over first, and would wait if no member is left to take over.
    async [Symbol.asyncDispose]() {
      await Promise.all(members.map((member) => member[Symbol.asyncDispose]()));
      await all.disposeAsync();
    },
  };
}
