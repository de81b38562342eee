import { closeSync, openSync, readSync } from "node:fs";

/** Measures the processor time of another process. */
export interface ProcessorTime {
  /** Returns milliseconds since it began; `undefined` if the system does not report them. */
  readonly read: () => number | undefined;
  readonly close: () => void;
}

/** Linux counts in hundredths of a second for all programs, whatever its kernel's unit. */
const TICK_MS = 10;

/** Opens `/proc/<pid>/stat`, and keeps it open: a read then costs microseconds. */
export function openProcessorTime(pid: number | undefined): ProcessorTime {
  let file: number | undefined;
  const buffer = new Uint8Array(1024);
  try {
    file = openSync(`/proc/${pid}/stat`, "r");
  } catch {
    // No Linux, or the process is gone already.
  }
  return {
    read: () => {
      if (file === undefined) return undefined;
      try {
        const length = readSync(file, buffer, 0, buffer.length, 0);
        const text = new TextDecoder().decode(buffer.subarray(0, length));
        // The program's name precedes it in parentheses, and may have spaces.
        const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
        const ticks = Number(fields[11]) + Number(fields[12]);
        return Number.isFinite(ticks) ? ticks * TICK_MS : undefined;
      } catch {
        return undefined;
      }
    },
    close: () => {
      if (file !== undefined) closeSync(file);
      file = undefined;
    },
  };
}
