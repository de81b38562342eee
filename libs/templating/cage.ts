import { availableParallelism } from "node:os";
import { callError, closedError, reasonOf } from "./_cage_errors.ts";
import { type CageProcess, startCageProcess } from "./_cage_process.ts";
import type { Call, Filled, Report } from "./_cage_protocol.ts";
import type { CallTask, FillTask, Job, Request, Slot, Task } from "./_cage_task.ts";
import type { CageOptions, CageStats, CallOptions } from "./cage_options.ts";
import type { TemplateParts } from "./check_template.ts";
import { dataWeight } from "./_data_weight.ts";
import { openFairQueue } from "./_fair_queue.ts";
import type { Fill, FillRequest, FillResult, TemplateSource } from "./fill.ts";
import type { EmailSource, PdfSource, PublishedEmail, PublishedPdf } from "./publish.ts";
import { RenderError, type RenderErrorCode } from "./render_error.ts";
import type { TemplateError } from "./template_error.ts";
import type { TemplateVariable } from "./template_variables.ts";

/** Processes that compile and fill templates, where a template can hurt nobody. */
export interface Cage extends AsyncDisposable {
  /** Fills in the order given. One that fails leaves the others alone. Never rejects. */
  readonly fill: (request: FillRequest) => Promise<FillResult[]>;
  /** One fill of all the templates. @throws {RenderError} */
  readonly render: (
    templates: FillRequest["templates"],
    data: Fill["data"],
  ) => Promise<Readonly<Record<string, string>>>;
  /** `checkTemplate()` and `templateVariables()` on a source that nobody has checked. */
  readonly check: (
    parts: TemplateParts,
    options?: CallOptions,
  ) => Promise<{ errors: TemplateError[]; variables: TemplateVariable[] }>;
  /** `publishEmail()`. @throws {InvalidTemplateError | RenderError} */
  readonly publishEmail: (
    source: EmailSource,
    options?: CallOptions,
  ) => Promise<PublishedEmail>;
  /** `publishPdf()`. @throws {InvalidTemplateError | RenderError} */
  readonly publishPdf: (source: PdfSource, options?: CallOptions) => Promise<PublishedPdf>;
  /** Whether a fill of this owner was slow in the last minute: half a second, or killed. */
  readonly isSlow: (owner: string) => boolean;
  readonly stats: () => CageStats;
}

const START_LIMIT_MS = 30_000;
/** So many fills of one request in a row were killed: the rest of it would be, too. */
const HOPELESS = 3;
/** So many times the limit may pass while a worker gets less than half of it to work. */
const PATIENCE = 10;
/** Urgent fills of a slow owner that wait for a worker. */
const URGENT_WAITING = 4;
/** A batch ends after 100 ms, unless one fill takes longer by itself. The processor's time. */
const SLOW_BATCH_MS = 500;
/** Characters of data in one message to a worker, unless a single fill has more. */
const BATCH_WEIGHT = 4_000_000;

/**
 * Opens a cage: child processes with an empty environment, a small heap and a time limit, killed
 * and started again when a template exceeds it. Compiling happens inside, too. Each worker keeps
 * its compiled templates, is sent a source once, and gets many fills in one message.
 *
 * Workers are shared fairly: who used them least lately comes first, a batch ends after a tenth of a
 * second, and what is known to be slow leaves a worker free. A fill thus waits for one slow fill of
 * others at most, and that is killed at the time limit.
 *
 * ```ts
 * await using cage = openCage({ workers: 2 });
 * const html = { key: "7/email/1/3/html", source: "<p>Hello {{name}}</p>", escape: "html" } as const;
 * const [first] = await cage.fill({ templates: { html }, fills: [{ data: { name: "Ada" } }] });
 * ```
 */
export function openCage(options: CageOptions = {}): Cage {
  const {
    workers = Math.min(4, availableParallelism()),
    timeLimitMs = 2_000,
    publishTimeLimitMs = 15_000,
    memoryMb = 256,
    outputLimit = 5_000_000,
    batchSize = 50,
    keptTemplates = 500,
    keptWeight = 50_000_000,
    reserved = workers > 1 ? 1 : 0,
  } = options;
  const waiting = openFairQueue<Task>();
  const count = { fills: 0, failed: 0, timeouts: 0, outOfMemory: 0, restarts: 0 };
  const slots: Slot[] = [];
  let closed = false;
  for (let index = 0; index < workers; index++) slots.push(openSlot());

  function openSlot(): Slot {
    const slot: Slot = {
      process: undefined as unknown as CageProcess,
      job: undefined,
      suspect: undefined,
      timer: undefined,
      timedOut: false,
      failedStarts: 0,
    };
    start(slot);
    return slot;
  }

  function start(slot: Slot): void {
    slot.timedOut = false;
    slot.process = startCageProcess({
      memoryMb,
      keptTemplates,
      keptWeight,
      onReport: (report) => receive(slot, report),
      onExit: () => exited(slot),
    });
    watch(slot, START_LIMIT_MS);
  }

  function watch(slot: Slot, limitMs: number): void {
    clearTimeout(slot.timer);
    const before = slot.process.cpuMs();
    let rest = PATIENCE - 1;
    const look = () => {
      const used = (slot.process.cpuMs() ?? Number.POSITIVE_INFINITY) - (before ?? 0);
      // On a machine that has no time for it a worker waits, and nothing is wrong with the template.
      if (used < limitMs / 2 && rest-- > 0) return slot.timer = setTimeout(look, limitMs).unref();
      slot.timedOut = true;
      slot.process.kill();
    };
    slot.timer = setTimeout(look, limitMs).unref();
  }

  function receive(slot: Slot, report: Report): void {
    if ("ready" in report) slot.failedStarts = 0;
    const { job } = slot;
    if (job && "fills" in job && "filled" in report) {
      for (const filled of report.filled) {
        const task = job.fills[job.next++];
        if (task) finish(task, filled);
      }
      if (!report.done) return watch(slot, timeLimitMs);
      if (report.cpuMs > SLOW_BATCH_MS) waiting.noteSlow(job.owner, performance.now());
    } else if (job && "call" in job) {
      if ("value" in report) job.resolve(report.value);
      if ("failed" in report) job.reject(callError(report.failed));
    }
    clearTimeout(slot.timer);
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

  /** Who waits for an answer hears at once that it will not come in time. */
  function refuseWaiting(owner: string): void {
    if (!waiting.isSlow(owner, performance.now())) return;
    let left = URGENT_WAITING;
    const late = waiting.remove((task) =>
      "request" in task && task.request.urgent && task.request.owner === owner && left-- <= 0
    );
    const message = "Cannot fill the template now: others of this account take long, and wait";
    refuse(late as FillTask[], "busy", message);
  }

  /** Those that go on; the others are answered, as their request holds enough text. */
  function leave(tasks: FillTask[]): FillTask[] {
    const full = ({ request }: FillTask) => request.made >= request.textBudget;
    const message = "Cannot fill the template now: what was filled before it is large";
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
      if (closed || slot.job || !slot.process.isReady()) continue;
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

  /** Whether enough others stay for those who are quick. */
  function hasQuickBeside(slot: Slot): boolean {
    const quick = slots.filter(({ process, job }) => {
      if (!process.isReady()) return false;
      return !job || !("call" in job || waiting.isSlow(job.owner, performance.now()));
    });
    return quick.filter((each) => each !== slot).length >= reserved;
  }

  /** Shares what waits among the idle workers, and leaves a suspect by itself. */
  function nextBatch(owner: string): FillTask[] {
    const idle = slots.filter((slot) => !slot.job && slot.process.isReady()).length;
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
    watch(slot, publishTimeLimitMs);
    try {
      slot.process.send({ call: task.call });
    } catch (error) {
      task.reject(new RenderError("data", `Cannot pass the template: ${reasonOf(error)}`));
      stopUsing(slot);
    }
  }

  function giveFills(slot: Slot, owner: string, batch: FillTask[]): void {
    slot.job = { owner, started: performance.now(), fills: batch, next: 0 };
    watch(slot, timeLimitMs);
    try {
      slot.process.send(slot.process.orderFor(batch, outputLimit));
    } catch (error) {
      if (batch.length === 1) {
        refuse(batch, "data", `Cannot pass the values to the template: ${reasonOf(error)}`);
      } else retryAlone(batch);
      stopUsing(slot);
    }
  }

  /** What the worker holds is not known now: it starts afresh with the next fill. */
  function stopUsing(slot: Slot): void {
    clearTimeout(slot.timer);
    slot.job = undefined;
    slot.process.kill();
  }

  function exited(slot: Slot): void {
    clearTimeout(slot.timer);
    const { job, timedOut } = slot;
    if (job && "fills" in job && timedOut) waiting.noteSlow(job.owner, performance.now());
    end(slot);
    if (closed) return;
    count.restarts++;
    if (job) blame(slot, job, timedOut);
    else if (++slot.failedStarts >= 3) return giveUp();
    start(slot);
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
    // The memory may have been full of what others left.
    if (!timedOut && left.length === 1 && slot.process.jobs() > 1) {
      slot.suspect = left[0];
      return;
    }
    const limit = timedOut ? `${timeLimitMs} ms` : `${memoryMb} MB of memory`;
    refuse(left, code, `Cannot fill the template: it needs more than ${limit}`);
    const [guilty] = left;
    if (guilty && ++guilty.request.killed >= HOPELESS) {
      const rest = waiting.remove((task) => "request" in task && task.request === guilty.request);
      const message =
        `Cannot fill the template: the ${HOPELESS} fills before it needed more than ${limit}`;
      refuse(rest as FillTask[], code, message);
    }
  }

  /** To the end of the queue: what came with a suspect may wait, others may not. */
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

  function giveUp(): void {
    const message = "Cannot fill the template: the worker process does not start";
    const suspects = slots.flatMap(({ suspect }) => suspect ?? []);
    for (const slot of slots) slot.suspect = undefined;
    for (const task of [...suspects, ...waiting.remove(() => true)]) {
      if ("call" in task) task.reject(new RenderError("cage", message));
      else refuse([task], "cage", message);
    }
  }

  function fill(wanted: FillRequest): Promise<FillResult[]> {
    const { templates, fills, owner = "", textBudget = Number.POSITIVE_INFINITY } = wanted;
    const { urgent = false } = wanted;
    const request: Request = { owner, textBudget, urgent, killed: 0, made: 0 };
    const results = fills.map(({ use = Object.keys(templates), data }) =>
      new Promise<FillResult>((done) => {
        if (closed) return done({ ok: false, error: closedError() });
        const named: (readonly [string, TemplateSource])[] = [];
        for (const name of use) {
          const template = templates[name];
          if (!template) {
            const message = `Cannot fill "${name}": there is no template of that name`;
            return done({ ok: false, error: new RenderError("error", message, { part: name }) });
          }
          named.push([name, template]);
        }
        waiting.add(owner, { templates: named, data, request, done });
      })
    );
    give();
    if (urgent) refuseWaiting(owner);
    return Promise.all(results);
  }

  function call<T>(wanted: Call, { owner = "" }: CallOptions = {}): Promise<T> {
    return new Promise((resolve, reject) => {
      if (closed) return reject(closedError());
      waiting.add(owner, { call: wanted, resolve: resolve as (value: unknown) => void, reject });
      give();
    });
  }

  return {
    fill,
    render: async (templates, data) => {
      const [result] = await fill({ templates, fills: [{ data }] });
      if (!result?.ok) throw result?.error ?? closedError();
      return result.parts;
    },
    check: (input, options) => call({ op: "check", input }, options),
    publishEmail: (input, options) => call({ op: "publishEmail", input }, options),
    publishPdf: (input, options) => call({ op: "publishPdf", input }, options),
    isSlow: (owner) => waiting.isSlow(owner, performance.now()),
    stats: () => ({
      workers,
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
      await Promise.all(slots.map((slot) => {
        clearTimeout(slot.timer);
        return slot.process.stop();
      }));
    },
  };
}
