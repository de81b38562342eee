import { cpus } from "node:os";

/** Returns the share of the processor, of all cores, that was idle since the last call; at first 0. */
export function openIdleMeter(): () => number {
  let last = readTimes();
  return () => {
    const now = readTimes();
    const all = now.all - last.all;
    const idle = all === 0 ? 0 : (now.idle - last.idle) / all;
    last = now;
    return idle;
  };
}

function readTimes(): { idle: number; all: number } {
  const times = cpus().map(({ times }) => times);
  return {
    idle: times.reduce((sum, { idle }) => sum + idle, 0),
    all: times.reduce(
      (sum, { user, nice, sys, irq, idle }) => sum + user + nice + sys + irq + idle,
      0,
    ),
  };
}
