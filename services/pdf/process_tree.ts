import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";

/** The size of a memory page; Chromium's own builds for Linux assume the same. */
const PAGE_BYTES = 4096;

/** Linux reports 100 ticks a second to programs, at any internal rate. */
const MS_PER_TICK = 10;

/**
 * Returns the ids of a process and of all processes under it. On a system without `/proc`: the process alone.
 * It reads the files one after the other: with a thread for each it would take ten times the processor time.
 */
export function processTree(root: number): number[] {
  const children = new Map<number, number[]>();
  for (const entry of foldersOf("/proc")) {
    const fields = /^\d+$/.test(entry) ? statOf(Number(entry)) : undefined;
    if (fields === undefined) continue;
    const parent = Number(fields[PARENT]);
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [Number(entry)]);
    else siblings.push(Number(entry));
  }
  const tree = [root];
  for (const pid of tree) tree.push(...children.get(pid) ?? []);
  return tree;
}

/**
 * Returns the memory of processes, in bytes: the private part of each, and the shared part of the largest
 * once. `smaps_rollup` would be exact, but the kernel hides it for sandboxed processes.
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

/** The processor time of processes. */
export interface ProcessorUse {
  /** Used so far, in milliseconds. Where that cannot be read: the time that has passed. */
  cpu: number;
  /** Whether one of them runs, or waits for a processor. */
  isRunnable: boolean;
}

/** Returns the processor time of processes. */
export function processorUseOf(pids: readonly number[]): ProcessorUse {
  const all = pids.map(statOf).filter((fields) => fields !== undefined);
  if (all.length === 0) return { cpu: performance.now(), isRunnable: true };
  const ticks = all.map((fields) => Number(fields[USER_TIME]) + Number(fields[SYSTEM_TIME]));
  return {
    cpu: ticks.reduce((sum, own) => sum + own, 0) * MS_PER_TICK,
    isRunnable: all.some((fields) => fields[STATE] === "R"),
  };
}

/** Ends processes immediately, including the group of the first. Processes that are gone are not an error. */
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
const [STATE, PARENT, USER_TIME, SYSTEM_TIME] = [0, 1, 11, 12] as const;

/** Returns the fields after the name, which is in parentheses and may contain spaces and parentheses. */
function statOf(pid: number): string[] | undefined {
  const stat = textOf(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** Returns the text of a file, or `undefined` if it does not exist. */
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
