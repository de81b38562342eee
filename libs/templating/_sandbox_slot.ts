import {
  type SandboxProcess,
  type SandboxProcessOptions,
  startSandboxProcess,
} from "./_sandbox_process.ts";
import type { Order, Report } from "./_sandbox_protocol.ts";
import type { FillTask, Job } from "./_sandbox_task.ts";

/** A place for a worker: one process after the other, and the time that each has for its work. */
export interface Slot {
  /** What the worker does now. */
  job: Job | undefined;
  /** Died in a worker with a past: it is tried once more in this one, when it has started anew. */
  suspect: FillTask | undefined;
  /** Whether there is a worker that has started. */
  readonly isReady: () => boolean;
  /** How many orders the worker has got. */
  readonly jobs: SandboxProcess["jobs"];
  readonly orderFor: SandboxProcess["orderFor"];
  /** @throws if the values cannot be cloned */
  readonly send: (order: Order) => void;
  /** From now on the worker has so long, or is killed. */
  readonly watch: (limitMs: number) => void;
  /** The worker may take any time. */
  readonly rest: () => void;
  readonly kill: () => void;
  /** Whether workers do not start, the last of them neither. */
  readonly isHopeless: () => boolean;
  /** Starts a worker in place of the one that has gone; after a while if some did not start. */
  readonly start: () => void;
  /** Kills the worker, and settles when it has gone. */
  readonly stop: () => Promise<void>;
}

/** What a slot's workers may have, and whom to tell. */
export interface SlotOptions
  extends Pick<SandboxProcessOptions, "memoryMb" | "keptTemplates" | "keptWeight"> {
  readonly onReport: (slot: Slot, report: Report) => void;
  /** The worker has gone; `timedOut` tells that its time was over. */
  readonly onExit: (slot: Slot, timedOut: boolean) => void;
}

const START_LIMIT_MS = 30_000;
/** So many workers in a row do not start: nothing comes of trying again at once. */
const HOPELESS_STARTS = 3;
const PAUSE_MS = 1_000;
/** So many times the limit may pass while a worker gets less than half of it to work. */
const PATIENCE = 10;

/** Opens a place, and starts its first worker. */
export function openSlot({ onReport, onExit, ...limits }: SlotOptions): Slot {
  let child: SandboxProcess;
  let timer: NodeJS.Timeout | undefined;
  let timedOut = false;
  let hasStarted = false;
  let failedStarts = 0;

  function start(): void {
    timedOut = hasStarted = false;
    child = startSandboxProcess({
      ...limits,
      onReport: (report) => {
        if ("ready" in report) hasStarted = true;
        onReport(slot, report);
      },
      onExit: () => {
        clearTimeout(timer);
        failedStarts = hasStarted ? 0 : failedStarts + 1;
        onExit(slot, timedOut);
      },
    });
    watch(START_LIMIT_MS);
  }

  function watch(limitMs: number): void {
    clearTimeout(timer);
    const before = child.cpuMs();
    let rest = PATIENCE - 1;
    const look = () => {
      const used = (child.cpuMs() ?? Number.POSITIVE_INFINITY) - (before ?? 0);
      // On a machine that has no time for it a worker waits, and nothing is wrong with the template.
      if (used < limitMs / 2 && rest-- > 0) return timer = setTimeout(look, limitMs).unref();
      timedOut = true;
      child.kill();
    };
    timer = setTimeout(look, limitMs).unref();
  }

  const slot: Slot = {
    job: undefined,
    suspect: undefined,
    isReady: () => child.isReady(),
    jobs: () => child.jobs(),
    orderFor: (fills, outputLimit) => child.orderFor(fills, outputLimit),
    send: (order) => child.send(order),
    watch,
    rest: () => clearTimeout(timer),
    kill: () => child.kill(),
    isHopeless: () => failedStarts >= HOPELESS_STARTS,
    start: () => {
      if (failedStarts < HOPELESS_STARTS) start();
      else timer = setTimeout(start, PAUSE_MS).unref();
    },
    stop: () => {
      clearTimeout(timer);
      return child.stop();
    },
  };
  start();
  return slot;
}
