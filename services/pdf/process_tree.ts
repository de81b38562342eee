import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";

/** The size of a memory page; Chromium's own builds for Linux assume the same. */
const PAGE_BYTES = 4096;

/** Linux shows 100 ticks a second to programs, whatever it counts with. */
const MS_PER_TICK = 10;

/**
 * A process and everything under it, by id. On a system without `/proc`: the process alone. It reads of all
 * processes, one after the other: with a thread for each file it would take ten times the processor.
 */
export function processTree(root: number): number[] {
  const children = new Map<number, number[]>();
  for (const entry of foldersOf("/proc")) {
    const parent = /^\d+$/.test(entry) ? statOf(Number(entry))?.[PARENT] : undefined;
    if (parent === undefined) continue;
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [Number(entry)]);
    else siblings.push(Number(entry));
  }
  const tree = [root];
  for (const pid of tree) tree.push(...children.get(pid) ?? []);
  return tree;
}

/**
 * The memory of processes, in bytes: what each has for itself, and once what the largest shares.
 * `smaps_rollup` would be exact, but the kernel hides it for sandboxed processes.
 */
export function memoryOf(pids: readonly number[]): number {
  let own = 0;
  let shared = 0;
  for (const pid of pids) {
    const statm = textOf(`/proc/${pid}/statm`) ?? "0 0 0";
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
export function cpuOf(pids: readonly number[]): number {
  const all = pids.map(statOf);
  if (all.every((fields) => fields === undefined)) return performance.now();
  const ticks = all.map((fields) => (fields?.[USER_TIME] ?? 0) + (fields?.[SYSTEM_TIME] ?? 0));
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

/** Fields after the name, see proc_pid_stat(5), where the first of them is number 3. */
const [PARENT, USER_TIME, SYSTEM_TIME] = [1, 11, 12];

/** The fields after the name in parentheses, which may hold spaces and parentheses. */
function statOf(pid: number): number[] | undefined {
  const stat = textOf(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ").map(Number);
}

/** `undefined` where it is not, or is not any more. */
function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return undefined;
  }
}

function foldersOf(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
