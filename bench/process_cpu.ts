import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** A process whose CPU time is counted under its own name, and all below it under another. */
export interface CpuRoot {
  name: string;
  pid: number;
  /** Name for its descendants; its own when left out. */
  descendants?: string;
}

/** CPU time in milliseconds, by name. */
export type CpuTimes = Record<string, number>;

interface Stat {
  parent: number;
  /** Of the process itself, in clock ticks. */
  own: number;
  /** Of descendants that have ended and were waited for, in clock ticks. */
  ended: number;
}

/**
 * Reads the CPU time (user and system) that processes and all their descendants have used so far,
 * those that have ended included. It moves in steps of a clock tick, usually 10 ms. Linux only.
 */
export function readCpu(roots: readonly CpuRoot[]): CpuTimes {
  const stats = readStats();
  const children = new Map<number, number[]>();
  for (const [pid, { parent }] of stats) {
    children.set(parent, [...children.get(parent) ?? [], pid]);
  }
  const msPerTick = 1000 / ticksPerSecond();
  const times: CpuTimes = {};
  const add = (name: string, ticks: number) => times[name] = (times[name] ?? 0) + ticks * msPerTick;
  for (const { name, pid, descendants = name } of roots) {
    const stat = stats.get(pid);
    add(name, stat?.own ?? 0);
    add(descendants, stat?.ended ?? 0);
    const below = [...children.get(pid) ?? []];
    for (const each of below) {
      const found = stats.get(each);
      add(descendants, (found?.own ?? 0) + (found?.ended ?? 0));
      below.push(...children.get(each) ?? []);
    }
  }
  return times;
}

/** What was used between two readings, divided by a number of units. */
export function cpuBetween(before: CpuTimes, after: CpuTimes, units = 1): CpuTimes {
  return Object.fromEntries(
    Object.entries(after).map(([name, time]) => [name, (time - (before[name] ?? 0)) / units]),
  );
}

/** The sum over all names. */
export function totalCpu(times: CpuTimes): number {
  return Object.values(times).reduce((sum, time) => sum + time, 0);
}

function readStats(): Map<number, Stat> {
  const stats = new Map<number, Stat>();
  for (const entry of readdirSync("/proc")) {
    if (!/^\d+$/.test(entry)) continue;
    const stat = readStat(entry);
    if (stat) stats.set(Number(entry), stat);
  }
  return stats;
}

/** See proc_pid_stat(5); the name, which may hold anything, stands in parentheses. */
function readStat(pid: string): Stat | undefined {
  let line: string;
  try {
    line = readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch {
    // It has ended since.
    return undefined;
  }
  const fields = line.slice(line.lastIndexOf(")") + 2).split(" ");
  const field = (number: number) => Number(fields[number - 3]);
  return { parent: field(4), own: field(14) + field(15), ended: field(16) + field(17) };
}

let ticks: number | undefined;

function ticksPerSecond(): number {
  ticks ??= Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));
  return ticks;
}
