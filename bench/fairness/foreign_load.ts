import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import process from "node:process";
import { cpuBetween, readCpu, totalCpu } from "../process_cpu.ts";

/** Measures from its opening how much of the machine others use. */
export interface LoadWatch extends Disposable {
  /** Returns the share of the machine, from 0 to 1, that others have used: figures beside it are worth less. */
  foreign(): number;
}

const MS_PER_TICK = 10;

/** The time of a process whose parent ended before it is lost when it ends: at most that of one interval. */
const LOOK_EVERY_MS = 1000;

/** Begins to measure. Linux only. */
export function watchLoad(): LoadWatch {
  const started = performance.now();
  const before = machineCpu();
  let own = 0;
  let last = readOwn();
  function look() {
    const now = readOwn();
    own += Math.max(0, totalCpu(cpuBetween(last, now)));
    last = now;
  }
  const timer = setInterval(look, LOOK_EVERY_MS).unref();
  return {
    foreign() {
      look();
      const used = machineCpu() - before - own;
      return Math.max(0, used / (performance.now() - started) / availableParallelism());
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

/** What this process and all that it started have used, in milliseconds. */
function readOwn() {
  return readCpu([{ name: "own", pid: process.pid }]);
}

/** What the whole machine has used, in milliseconds. */
function machineCpu(): number {
  const [, user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0] =
    readFileSync("/proc/stat", "utf8").split("\n", 1)[0]?.split(/\s+/).map(Number) ?? [];
  return (user + nice + system + irq + softIrq) * MS_PER_TICK;
}
