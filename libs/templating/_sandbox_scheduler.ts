import { callError, closedError, reasonOf } from "./_sandbox_errors.ts";
import type { Filled, Report } from "./_sandbox_protocol.ts";
import { openSlot, type Slot } from "./_sandbox_slot.ts";
import type { CallTask, FillTask, Job, Task } from "./_sandbox_task.ts";
import type { SandboxOptions, SandboxStats } from "./sandbox_options.ts";
import { dataWeight } from "./_data_weight.ts";
import { openFairQueue } from "./_fair_queue.ts";
import { RenderError, type RenderErrorCode } from "./render_error.ts";

/** Assigns tasks to workers, and answers to tasks. */
export interface Scheduler extends AsyncDisposable {
  /** Adds tasks behind the others of their owner. Each of them contains the callback for its answer. */
  readonly add: (owner: string, tasks: readonly Task[]) => void;
  /** As in {@linkcode Sandbox}. */
  readonly isSlow: (owner: string) => boolean;
  readonly isClosed: () => boolean;
  readonly stats: () => SandboxStats;
}

/** The number of consecutive killed fills of one request after which the rest is refused. */
const HOPELESS = 3;
/** The most urgent fills of a slow owner that wait for a worker. */
const URGENT_WAITING = 4;
/** A batch ends after 100 ms of processor time, unless one fill takes longer by itself. */
const SLOW_BATCH_MS = 500;
/** Characters of data in one message to a worker, unless a single fill has more. */
const BATCH_WEIGHT = 4_000_000;

/**
 * Opens the workers, and assigns them to owners: the owner that used them least lately comes first, slow work
 * leaves some free, and a fill whose worker died fails or is tried once more.
 */
export function openScheduler(limits: Required<SandboxOptions>): Scheduler {
  const { timeLimitMs, publishTimeLimitMs, memoryMb, outputLimit, batchSize, reserved } = limits;
  const waiting = openFairQueue<Task>();
  const count = { fills: 0, failed: 0, timeouts: 0, outOfMemory: 0, restarts: 0 };
  const slots: Slot[] = [];
  let closed = false;
  for (let index = 0; index < limits.workers; index++) {
    slots.push(openSlot({ ...limits, onReport: receive, onExit: exited }));
  }

  function receive(slot: Slot, report: Report): void {
    const { job } = slot;
    if (job && "fills" in job && "filled" in report) {
      for (const filled of report.filled) {
        const task = job.fills[job.next++];
        if (task) finish(task, filled);
      }
      if (!report.done) return slot.watch(timeLimitMs);
      if (report.cpuMs > SLOW_BATCH_MS) waiting.noteSlow(job.owner, performance.now());
    } else if (job && "call" in job) {
      if ("value" in report) job.resolve(report.value);
      if ("failed" in report) job.reject(callError(report.failed));
    }
    slot.rest();
    end(slot);
    if (job && "fills" in job) waiting.putBack(job.owner, leave(job.fills.slice(job.next)));
    give();
  }

  function end(slot: Slot): void {
    const { job } = slot;
    slot.job = undefined;
    const now = performance.now();
    if (!job) return;
    waiting.charge(job.owner, now - job.started, now);
    refuseWaiting(job.owner);
  }

  /** Immediately refuses the waiting tasks that cannot be answered in time. */
  function refuseWaiting(owner: string): void {
    if (!waiting.isSlow(owner, performance.now())) return;
    let left = URGENT_WAITING;
    const late = waiting.remove((task) =>
      "request" in task && task.request.urgent && task.request.owner === owner && left-- <= 0
    );
    const message = "Cannot fill the template now: too many templates of this account are waiting";
    refuse(late as FillTask[], "busy", message);
  }

  /** Returns the tasks that continue. The others are answered, because their request holds enough text. */
  function leave(tasks: FillTask[]): FillTask[] {
    const full = ({ request }: FillTask) => request.made >= request.textBudget;
    const message = "Cannot fill the template now: earlier output is too large";
    refuse(tasks.filter(full), "later", message);
    return tasks.filter((task) => !full(task));
  }

  function finish(task: FillTask, filled: Filled): void {
    count.fills++;
    const { request } = task;
    request.killed = 0;
    if (!("code" in filled)) {
      const parts: Record<string, string> = {};
      task.templates.forEach(([name], index) => parts[name] = filled[index] ?? "");
      for (const text of filled) request.made += text.length;
      task.done({ ok: true, parts });
      if (request.made < request.textBudget) return;
      const others = waiting.remove((each) => "request" in each && each.request === request);
      leave(others as FillTask[]);
      return;
    }
    count.failed++;
    task.done({ ok: false, error: new RenderError(filled.code, filled.message, filled.place) });
  }

  function give(): void {
    for (const slot of slots) {
      if (closed || slot.job || !slot.isReady()) continue;
      const { suspect } = slot;
      if (suspect) {
        slot.suspect = undefined;
        giveFills(slot, suspect.request.owner, [suspect]);
        continue;
      }
      const now = performance.now();
      const owner = waiting.next(
        now,
        (each, first) => !isSlow(each, first) || hasQuickBeside(slot),
      );
      if (owner === undefined) continue;
      const first = waiting.peek(owner);
      if (first && "call" in first) giveCall(slot, owner, first);
      else giveFills(slot, owner, nextBatch(owner));
    }
  }

  function isSlow(owner: string, task: Task): boolean {
    return "call" in task || waiting.isSlow(owner, performance.now());
  }

  /** Returns whether enough other workers stay free for quick work. */
  function hasQuickBeside(slot: Slot): boolean {
    const quick = slots.filter(({ isReady, job }) => {
      if (!isReady()) return false;
      return !job || !("call" in job || waiting.isSlow(job.owner, performance.now()));
    });
    return quick.filter((each) => each !== slot).length >= reserved;
  }

  /** Returns a share of the waiting tasks for an idle worker, and a suspect by itself. */
  function nextBatch(owner: string): FillTask[] {
    const idle = slots.filter((slot) => !slot.job && slot.isReady()).length;
    const most = Math.min(batchSize, Math.ceil(waiting.waiting(owner) / Math.max(1, idle)));
    const batch: FillTask[] = [];
    let weight = 0;
    while (batch.length < most) {
      const next = waiting.peek(owner);
      if (!next || "call" in next || (next.alone && batch.length > 0)) break;
      weight += dataWeight(next.data, BATCH_WEIGHT);
      if (weight > BATCH_WEIGHT && batch.length > 0) break;
      waiting.take(owner);
      batch.push(next);
      if (next.alone) break;
    }
    return batch;
  }

  function giveCall(slot: Slot, owner: string, task: CallTask): void {
    waiting.take(owner);
    slot.job = { owner, started: performance.now(), ...task };
    slot.watch(publishTimeLimitMs);
    try {
      slot.send({ call: task.call });
    } catch (error) {
      task.reject(new RenderError("data", `Cannot pass the template: ${reasonOf(error)}`));
      stopUsing(slot);
    }
  }

  function giveFills(slot: Slot, owner: string, batch: FillTask[]): void {
    slot.job = { owner, started: performance.now(), fills: batch, next: 0 };
    slot.watch(timeLimitMs);
    try {
      slot.send(slot.orderFor(batch, outputLimit));
    } catch (error) {
      if (batch.length === 1) {
        refuse(batch, "data", `Cannot pass the values to the template: ${reasonOf(error)}`);
      } else retryAlone(batch);
      stopUsing(slot);
    }
  }

  /** Stops using a worker whose contents are unknown. It restarts with the next fill. */
  function stopUsing(slot: Slot): void {
    slot.rest();
    slot.job = undefined;
    slot.kill();
  }

  function exited(slot: Slot, timedOut: boolean): void {
    const { job } = slot;
    if (job && "fills" in job && timedOut) waiting.noteSlow(job.owner, performance.now());
    end(slot);
    if (closed) return;
    count.restarts++;
    if (job) blame(slot, job, timedOut);
    else if (slot.isHopeless()) giveUp(slot);
    slot.start();
    give();
  }

  function blame(slot: Slot, job: Job, timedOut: boolean): void {
    if (timedOut) count.timeouts++;
    else count.outOfMemory++;
    const code = timedOut ? "timeout" : "memory";
    if ("call" in job) {
      const limit = timedOut ? `${publishTimeLimitMs} ms` : `${memoryMb} MB of memory`;
      const message = `Cannot process the template: it needs more than ${limit}`;
      return job.reject(new RenderError(code, message));
    }
    const left = job.fills.slice(job.next);
    if (left.length > 1) return retryAlone(left);
    // The memory may have been full of other fills' data.
    if (!timedOut && left.length === 1 && slot.jobs() > 1) {
      slot.suspect = left[0];
      return;
    }
    const limit = timedOut ? `${timeLimitMs} ms` : `${memoryMb} MB of memory`;
    refuse(left, code, `Cannot fill the template: it needs more than ${limit}`);
    const [guilty] = left;
    if (guilty && ++guilty.request.killed >= HOPELESS) {
      const rest = waiting.remove((task) => "request" in task && task.request === guilty.request);
      const message =
        `Cannot fill the template: the previous ${HOPELESS} fills needed more than ${limit}`;
      refuse(rest as FillTask[], code, message);
    }
  }

  /** Puts tasks at the end of the queue, so that the suspect's batch does not delay others. */
  function retryAlone(tasks: FillTask[]): void {
    for (const task of tasks) {
      task.alone = true;
      waiting.add(task.request.owner, task);
    }
  }

  function refuse(tasks: FillTask[], code: RenderErrorCode, message: string): void {
    for (const task of tasks) {
      count.fills++;
      count.failed++;
      const [only, ...others] = task.templates;
      const place = only && others.length === 0 ? { part: only[0] } : {};
      task.done({ ok: false, error: new RenderError(code, message, place) });
    }
  }

  /** Refuses all waiting tasks if no other worker can do the work. */
  function giveUp(slot: Slot): void {
    const message = "Cannot fill the template: the worker process does not start";
    const { suspect } = slot;
    slot.suspect = undefined;
    const others = slots.some(({ isReady }) => isReady()) ? [] : waiting.remove(() => true);
    for (const task of suspect ? [suspect, ...others] : others) {
      if ("call" in task) task.reject(new RenderError("sandbox", message));
      else refuse([task], "sandbox", message);
    }
  }

  function add(owner: string, tasks: readonly Task[]): void {
    for (const task of tasks) waiting.add(owner, task);
    give();
    if (tasks.some((task) => "request" in task && task.request.urgent)) refuseWaiting(owner);
  }

  return {
    add,
    isSlow: (owner) => waiting.isSlow(owner, performance.now()),
    isClosed: () => closed,
    stats: () => ({
      workers: slots.length,
      busy: slots.filter((slot) => slot.job).length,
      queued: waiting.size,
      ...count,
    }),
    [Symbol.asyncDispose]: async () => {
      closed = true;
      const left: Task[] = slots.flatMap(({ job, suspect }) => [
        ...job ? "fills" in job ? job.fills.slice(job.next) : [job] : [],
        ...suspect ? [suspect] : [],
      ]);
      for (const task of [...left, ...waiting.remove(() => true)]) {
        if ("call" in task) task.reject(closedError());
        else task.done({ ok: false, error: closedError() });
      }
      await Promise.all(slots.map((slot) => slot.stop()));
    },
  };
}
