import { spawn } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import process from "node:process";
import { fileURLToPath } from "node:url";

/** The size of a memory page; Chromium's own builds for Linux assume the same. */
const PAGE_BYTES = 4096;

/** Linux shows 100 ticks a second to programs, whatever it counts with. */
const MS_PER_TICK = 10;

/** A process and everything under it, by id. On a system without `/proc`: the process alone. */
export async function processTree(root: number): Promise<number[]> {
  const children = new Map<number, number[]>();
  for (const entry of await readdir("/proc").catch(() => [])) {
    const parent = /^\d+$/.test(entry) ? await parentOf(Number(entry)) : undefined;
    if (parent === undefined) continue;
    children.set(parent, [...children.get(parent) ?? [], Number(entry)]);
  }
  const tree = [root];
  for (const pid of tree) tree.push(...children.get(pid) ?? []);
  return tree;
}

/**
 * The memory of processes, in bytes: what each has for itself, and once what the largest shares.
 * `smaps_rollup` would be exact, but the kernel hides it for sandboxed processes.
 */
export async function memoryOf(pids: readonly number[]): Promise<number> {
  let own = 0;
  let shared = 0;
  for (const pid of pids) {
    const statm = await readFile(`/proc/${pid}/statm`, "utf8").catch(() => "0 0 0");
    const [, resident = 0, common = 0] = statm.split(" ").map(Number);
    own += resident - common;
    shared = Math.max(shared, common);
  }
  return (own + shared) * PAGE_BYTES;
}

/**
 * The processor time that processes have used so far, in milliseconds; where that cannot be read, the
 * time that has passed.
 */
export async function cpuOf(pids: readonly number[]): Promise<number> {
  const all = await Promise.all(pids.map(statOf));
  if (all.every((fields) => fields === undefined)) return performance.now();
  const ticks = all.map((fields) => {
    return (fields?.[14 - FIRST_FIELD] ?? 0) + (fields?.[15 - FIRST_FIELD] ?? 0);
  });
  return ticks.reduce((sum, own) => sum + own, 0) * MS_PER_TICK;
}

/** Ends processes at once, the group of the first included. Those that are gone are no error. */
export function killProcesses(pids: readonly number[]): void {
  const [leader] = pids;
  const targets = leader === undefined ? [] : [-leader, ...pids];
  if (process.versions["deno"] !== undefined) return killByProgram(targets);
  for (const target of targets) {
    try {
      process.kill(target, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  }
}

const KILL = fileURLToPath(new URL("./_kill.sh", import.meta.url));

function killByProgram(targets: readonly number[]): void {
  const child = spawn(KILL, targets.map(String), { stdio: "ignore", env: {} });
  child.on("error", () => undefined).unref();
}

async function parentOf(pid: number): Promise<number | undefined> {
  return (await statOf(pid))?.[4 - FIRST_FIELD];
}

/** Number of the first field after the name, see proc_pid_stat(5). */
const FIRST_FIELD = 3;

/** The fields after the name in parentheses, which may hold spaces and parentheses. */
async function statOf(pid: number): Promise<number[] | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ").map(Number);
}
