import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "./free_port.ts";
import { openMember } from "./nats_server.ts";
import type { RunningServer } from "./_restartable.ts";
import type { Exit } from "./_supervised.ts";
import type { Env } from "./user_cache_dir.ts";

/** How to start a cluster of nats-servers. */
export interface NatsClusterOptions {
  /** Settings of the environment; `PATH` is used to look for an installed nats-server. */
  env: Env;
  /** Folder that contains a folder for each member. */
  dataDir: string;
  /** The number of members. @default {3} */
  size?: number | undefined;
  /** The most bytes on the disk for the streams of each member. @default {8 GiB} */
  maxFileStoreBytes?: number | undefined;
  /**
   * Returns the port through which a member connects to another one, for example of a proxy. It has no other
   * way to it. @default the other's own port
   */
  routeVia?: ((route: NatsRoute) => Promise<number>) | undefined;
  /** Whether the data is temporary: removed even if this process is killed. */
  isTemporary?: boolean | undefined;
  /** Called when a member ends without a request from this process. */
  onUnexpectedExit?: ((exit: Exit) => void) | undefined;
}

/** How one member reaches another. */
export interface NatsRoute {
  /** Name of the member that connects. */
  from: string;
  /** Name of the other one. */
  to: string;
  /** The other one's port. */
  port: number;
}

/** One server of a cluster. */
export interface NatsMember extends RunningServer {
  /** Its name in the cluster, such as `n1`. */
  readonly name: string;
  /** Port of its `/varz`, `/jsz` and `/healthz`. */
  readonly monitorPort: number;
}

/** Several nats-servers on this machine that store their streams together. Disposing stops them. */
export interface NatsCluster extends AsyncDisposable {
  /** The addresses of all members, separated by commas. */
  readonly url: string;
  readonly members: readonly NatsMember[];
  /** Resolves when all members run, know the cluster's leader and have caught up with it. */
  settled(): Promise<void>;
  /**
   * Returns the member that leads a stream; `undefined` while there is none, or no such stream. One that is cut
   * off may not know yet that it leads no longer: `not` ignores it.
   */
  streamLeader(stream: string, options?: { not?: NatsMember }): Promise<NatsMember | undefined>;
}

const SETTLE_TIMEOUT_MS = 30_000;
const ANSWER_TIMEOUT_MS = 1000;

/**
 * Starts nats-servers on 127.0.0.1 as a JetStream cluster and returns when it accepts streams, which may then
 * have as many replicas as it has members. A member can be killed, paused by a signal, and restarted on its
 * port with its data.
 *
 * @throws {Error} If no nats-server was found, or the cluster did not form within 30 s.
 */
export async function openNatsCluster(options: NatsClusterOptions): Promise<NatsCluster> {
  const size = options.size ?? 3;
  const ports = await freePorts(size);
  const monitorPorts = await freePorts(size);
  const memberPorts = await freePorts(size);
  await using opened = new AsyncDisposableStack();
  const names = ports.map((_, index) => `n${index + 1}`);
  const { routeVia } = options;
  const routePorts = (from: string) =>
    Promise.all(
      memberPorts.map((port, index) => ({ from, to: names[index] as string, port }))
        .filter(({ to }) => to !== from)
        .map((route) => routeVia === undefined ? route.port : routeVia(route)),
    );
  const starting = await Promise.allSettled(ports.map(async (port, index) => {
    const name = names[index] as string;
    const monitorPort = monitorPorts[index] as number;
    const server = await openMember({
      ...options,
      dataDir: join(options.dataDir, name),
      port,
      monitorPort,
      cluster: {
        serverName: name,
        port: memberPorts[index] as number,
        routePorts: await routePorts(name),
        isAdvertised: routeVia === undefined,
      },
    });
    return Object.assign(opened.use(server), { name, monitorPort });
  }));
  const members = starting.map((result) => {
    if (result.status === "rejected") throw result.reason;
    return result.value;
  });
  await settled(members);
  const all = opened.move();
  return {
    url: members.map(({ url }) => url).join(","),
    members,
    settled: () => settled(members),
    streamLeader: (stream, { not } = {}) =>
      streamLeader(members.filter((member) => member !== not), stream),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) ports.push(await freePort());
  return ports;
}

async function settled(members: readonly NatsMember[]): Promise<void> {
  const deadline = performance.now() + SETTLE_TIMEOUT_MS;
  const wait = async (what: string, look: () => Promise<boolean>) => {
    while (!await look()) {
      if (performance.now() > deadline) {
        const seconds = SETTLE_TIMEOUT_MS / 1000;
        throw new Error(`Cannot use the NATS cluster: ${what} within ${seconds} s`);
      }
      await sleep(50);
    }
  };
  for (const member of members) {
    await wait(`"${member.name}" was not ready`, async () => {
      const { status } = await ask(member, "healthz") as { status?: string } | undefined ?? {};
      return status === "ok";
    });
  }
  await wait("its leader did not see all members", () => seesAll(members));
}

/** Returns whether the member that places streams sees all others: it places none on a member that it takes for offline. */
async function seesAll(members: readonly NatsMember[]): Promise<boolean> {
  const answers = await Promise.all(members.map(async (member) => {
    const { meta_cluster: meta } = await ask(member, "jsz") as Jsz ?? {};
    return meta?.leader === member.name ? meta.replicas ?? [] : [];
  }));
  return answers.some((replicas) =>
    replicas.length === members.length - 1 &&
    replicas.every(({ current, offline }) => current === true && offline !== true)
  );
}

interface Jsz {
  /** Its replicas are what the leader sees of the others. */
  meta_cluster?: {
    leader?: string;
    replicas?: { name: string; current?: boolean; offline?: boolean }[];
  };
  account_details?: { stream_detail?: { name: string; cluster?: { leader?: string } }[] }[];
}

async function streamLeader(members: readonly NatsMember[], stream: string) {
  const answers = await Promise.all(members.map(async (member) => {
    const { account_details = [] } = await ask(member, "jsz?streams=true") as Jsz ?? {};
    const found = account_details.flatMap(({ stream_detail = [] }) => stream_detail)
      .find(({ name }) => name === stream);
    return { member, says: found?.cluster?.leader };
  }));
  // A disconnected member may still name an old leader: the leader itself must confirm it.
  return answers.find(({ member, says }) => says === member.name)?.member;
}

/** Returns a member's report; `undefined` if it does not answer, for example because it hangs. */
async function ask({ monitorPort }: NatsMember, path: string): Promise<unknown> {
  try {
    const response = await fetch(`http://127.0.0.1:${monitorPort}/${path}`, {
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    return await response.json();
  } catch {
    return undefined;
  }
}
