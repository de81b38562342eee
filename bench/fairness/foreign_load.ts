import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import process from "node:process";
import { cpuBetween, type CpuTimes, readCpu, totalCpu } from "../process_cpu.ts";

/** A moment to measure from. */
export interface LoadMark {
  at: number;
  /** What this process and all it started have used, in milliseconds. */
  own: CpuTimes;
  /** What the whole machine has used, in milliseconds. */
  all: number;
}

const MS_PER_TICK = 10;

/** Remembers how much CPU time has been used so far. Linux only. */
export function markLoad(): LoadMark {
  const [, user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0] =
    readFileSync("/proc/stat", "utf8").split("\n", 1)[0]?.split(/\s+/).map(Number) ?? [];
  const all = (user + nice + system + irq + softIrq) * MS_PER_TICK;
  return { at: performance.now(), own: readCpu([{ name: "own", pid: process.pid }]), all };
}

/** The share of the machine, from 0 to 1, that others have used since: figures beside it are worth less. */
export function foreignLoad(since: LoadMark): number {
  const now = markLoad();
  const foreign = now.all - since.all - totalCpu(cpuBetween(since.own, now.own));
  return Math.max(0, foreign / (now.at - since.at) / availableParallelism());
}
