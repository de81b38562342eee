import { availableParallelism } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { openIdleMeter } from "./idle_meter.ts";
import type { FileReport } from "./report.ts";
import type { Resources } from "./resources.ts";
import { nextFile, type PlannedFile } from "./schedule.ts";
import { startWorker, type WorkerProcess } from "./worker_process.ts";

/** How files are run. */
export interface RunOptions {
  root: string;
  resources: Resources;
  signal: AbortSignal;
  /** Called when a file is done. */
  onReport: (report: FileReport) => void;
}

/** Time after which the processor use of a started file shows, in milliseconds. */
const LOOK_EVERY_MS = 250;

/**
 * Runs files, each as soon as the schedule allows, in processes that continue with the next file. Returns
 * early if the signal is aborted.
 *
 * @throws {Error} What the files need did not start
 */
export async function runFiles(
  planned: readonly PlannedFile[],
  { root, resources, signal, onReport }: RunOptions,
): Promise<FileReport[]> {
  const cores = availableParallelism();
  const waiting = [...planned];
  const running = new Map<PlannedFile, Promise<void>>();
  const reports: FileReport[] = [];
  const idleSince = openIdleMeter();
  await using pool = openPool(root);
  let idle = 0;

  async function start(file: PlannedFile): Promise<void> {
    const worker = pool.take(file);
    const result = await worker.run({ file: file.file, env: resources.env });
    // Leftovers in a process that ends now disturb no other file.
    const leftovers = file.needs.ownProcess ? [] : result.leftovers;
    const report = { file: file.file, ...result, leftovers };
    running.delete(file);
    pool.giveBack(worker, { mayGoOn: !file.needs.ownProcess && leftovers.length === 0 });
    reports.push(report);
    // Idle as it is, it takes a tenth of a core.
    const isLast = [...waiting, ...running.keys()].every(({ needs }) => !needs.sharedSystem);
    if (file.needs.sharedSystem && isLast) resources.stopSystem();
    if (!signal.aborted) onReport(report);
  }

  while (!signal.aborted && waiting.length + running.size > 0) {
    const { isPrepared, hasSystem } = resources;
    const situation = { cores, idle, running: [...running.keys()], isPrepared, hasSystem };
    const next = nextFile(waiting, situation);
    if (next !== undefined) {
      waiting.splice(waiting.indexOf(next), 1);
      running.set(next, start(next));
      idle = 0;
      idleSince();
      continue;
    }
    await Promise.race([
      delay(LOOK_EVERY_MS),
      ...running.values(),
      ...(isPrepared && hasSystem || waiting.length === 0 ? [] : [failureOf(resources.changed)]),
    ]);
    idle = idleSince();
  }
  return reports;
}

/** Never resolves. */
function failureOf(promise: Promise<void>): Promise<never> {
  return new Promise((_, reject) => promise.catch(reject));
}

/** Keeps the processes that can run another file. */
function openPool(root: string) {
  const all = new Set<WorkerProcess>();
  const free: WorkerProcess[] = [];
  return {
    take({ needs }: PlannedFile): WorkerProcess {
      const at = free.findLastIndex(({ isAlive }) => isAlive);
      const [known] = needs.ownProcess || at === -1 ? [] : free.splice(at, 1);
      if (known) return known;
      const worker = startWorker(root);
      all.add(worker);
      return worker;
    },
    /** Leftovers of a file must not fail the files after it. */
    giveBack(worker: WorkerProcess, { mayGoOn }: { mayGoOn: boolean }): void {
      if (mayGoOn) free.push(worker);
      else void worker[Symbol.asyncDispose]();
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await Promise.all([...all].map((worker) => worker[Symbol.asyncDispose]()));
    },
  };
}
