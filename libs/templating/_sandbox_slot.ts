import {
  type SandboxProcess,
  type SandboxProcessOptions,
  startSandboxProcess,
} from "./_sandbox_process.ts";
import type { Order, Report } from "./_sandbox_protocol.ts";
import type { FillTask, Job } from "./_sandbox_task.ts";

/** A place for a worker: one process after another, with the time limit of its work. */
export interface Slot {
  /** The worker's current work. */
  job: Job | undefined;
  /** A fill that died in a used worker. It is tried once more in this one, after a fresh start. */
  suspect: FillTask | undefined;
  /** Returns whether a worker has started. */
  readonly isReady: () => boolean;
  /** Returns how many orders the worker got. */
  readonly jobs: SandboxProcess["jobs"];
  readonly orderFor: SandboxProcess["orderFor"];
  /** Sends an order. @throws If the values cannot be cloned. */
  readonly send: (order: Order) => void;
  /** Kills the worker unless it is done within this time. */
  readonly watch: (limitMs: number) => void;
  /** Stops the time limit. */
  readonly rest: () => void;
  readonly kill: () => void;
  /** Returns whether workers repeatedly fail to start, including the last one. */
  readonly isHopeless: () => boolean;
  /** Starts a new worker in place of one that has ended; after a pause if some did not start. */
  readonly start: () => void;
  /** Kills the worker, and settles when it has ended. */
  readonly stop: () => Promise<void>;
}

/** The limits of a slot's workers, and its callbacks. */
export interface SlotOptions
  extends Pick<SandboxProcessOptions, "memoryMb" | "keptTemplates" | "keptWeight"> {
  readonly onReport: (slot: Slot, report: Report) => void;
  /** Called when the worker has ended; `timedOut` if its time was over. */
  readonly onExit: (slot: Slot, timedOut: boolean) => void;
}

const START_LIMIT_MS = 30_000;
/** The number of consecutive failed starts after which an immediate retry is useless. */
const HOPELESS_STARTS = 3;
const PAUSE_MS = 1_000;
/** How many times the limit may pass while a worker gets less than half of it as processor time. */
const PATIENCE = 10;

/** Opens a slot, and starts its first worker. */
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
      // On a busy machine, a worker waits without processor time, and the template is not at fault.
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
