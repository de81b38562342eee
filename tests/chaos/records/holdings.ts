import { readdir, readFile, readlink } from "node:fs/promises";
import type { Holding } from "./records.ts";
import type { Fixture } from "../fixture/fixture.ts";

/**
 * Counts the open resources of each running service. The other end of a connection is a process on this
 * machine, so connections at database and broker are counted here too, by owner.
 */
export async function readHoldings(
  fixture: Pick<Fixture, "reached" | "pods">,
): Promise<Holding[]> {
  const [sockets, parents] = await Promise.all([readSockets(), readParents()]);
  const database = portsIn(fixture.reached.database);
  const broker = portsIn(fixture.reached.broker);
  return await Promise.all(
    fixture.pods.running().map(async ({ role, name, process: { pid } }) => {
      const files = await filesOf(pid);
      const ports = files.flatMap((file) => sockets.get(file) ?? []);
      return {
        role,
        pod: name,
        files: files.length,
        database: ports.filter((port) => database.has(port)).length,
        broker: ports.filter((port) => broker.has(port)).length,
        browsers: role === "pdf" ? below(pid, parents).length : 0,
      };
    }),
  );
}

/** The ports in `nats://127.0.0.1:4222,nats://127.0.0.1:4223`. */
function portsIn(url: string): Set<number> {
  return new Set([...url.matchAll(/:(\d+)/g)].map(([, port]) => Number(port)));
}

/** Returns the target of each open file of a process, as in `socket:[123]`. */
async function filesOf(pid: number): Promise<string[]> {
  const names = await readdir(`/proc/${pid}/fd`).catch(() => []);
  const files = await Promise.all(
    names.map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => "")),
  );
  return files.filter((file) => file !== "");
}

/** Returns the port that each TCP socket of this machine is connected to. */
async function readSockets(): Promise<Map<string, number>> {
  const sockets = new Map<string, number>();
  for (const file of ["/proc/net/tcp", "/proc/net/tcp6"]) {
    const text = await readFile(file, "utf8").catch(() => "");
    for (const line of text.split("\n").slice(1)) {
      const [, , remote = "", , , , , , , inode = ""] = line.trim().split(/\s+/);
      sockets.set(`socket:[${inode}]`, Number.parseInt(remote.split(":")[1] ?? "", 16));
    }
  }
  return sockets;
}

async function readParents(): Promise<Map<number, number>> {
  const parents = new Map<number, number>();
  for (const name of await readdir("/proc").catch(() => [])) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, "utf8").catch(() => "");
    const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (state !== "Z") parents.set(Number(name), Number(parent));
  }
  return parents;
}

/** Returns the descendants of a process, without those that have ended and are not yet reaped. */
export async function descendantsOf(pid: number): Promise<number[]> {
  return below(pid, await readParents());
}

function below(pid: number, parents: Map<number, number>): number[] {
  const found = [pid];
  for (const above of found) {
    for (const [child, parent] of parents) if (parent === above) found.push(child);
  }
  return found.slice(1);
}
