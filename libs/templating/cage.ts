import { availableParallelism } from "node:os";
import { type CageProcess, startCageProcess } from "./_cage_process.ts";
import { Fifo } from "./_fifo.ts";
import type { Call, Filled, Report } from "./_cage_protocol.ts";
import type { TemplateParts } from "./check_template.ts";
import type { Fill, FillRequest, FillResult, TemplateSource } from "./fill.ts";
import type { EmailSource, PdfSource, PublishedEmail, PublishedPdf } from "./publish.ts";
import { RenderError, type RenderErrorCode } from "./render_error.ts";
import { InvalidTemplateError, type TemplateError } from "./template_error.ts";
import type { TemplateVariable } from "./template_variables.ts";

/** What a cage allows. */
export interface CageOptions {
  /** Processes. Default: as many as cores, at most 4. */
  readonly workers?: number;
  /** For one fill, compiling included. Default 2,000 ms. */
  readonly timeLimitMs?: number;
  /** For checking or publishing one template. Default 15,000 ms. */
  readonly publishTimeLimitMs?: number;
  /** JavaScript heap of one worker. Default 256. */
  readonly memoryMb?: number;
  /** Characters of one fill, all its parts together. Default 5,000,000. */
  readonly outputLimit?: number;
  /** Fills in one message to a worker. Default 50. */
  readonly batchSize?: number;
  /** Compiled templates that each worker keeps. Default 500. */
  readonly keptTemplates?: number;
}

/** Counters since the cage was opened, and what it does now. */
export interface CageStats {
  readonly workers: number;
  readonly busy: number;
  readonly queued: number;
  readonly fills: number;
  readonly failed: number;
  readonly timeouts: number;
  readonly outOfMemory: number;
  readonly restarts: number;
}

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
  ) => Promise<{ errors: TemplateError[]; variables: TemplateVariable[] }>;
  /** `publishEmail()`. @throws {InvalidTemplateError | RenderError} */
  readonly publishEmail: (source: EmailSource) => Promise<PublishedEmail>;
  /** `publishPdf()`. @throws {InvalidTemplateError | RenderError} */
  readonly publishPdf: (source: PdfSource) => Promise<PublishedPdf>;
  readonly stats: () => CageStats;
}

interface FillTask {
  readonly templates: readonly (readonly [string, TemplateSource])[];
  readonly data: unknown;
  /** Shared by the fills of one request: how many in a row had to be killed. */
  readonly streak: { killed: number };
  readonly done: (result: FillResult) => void;
  /** It was in a batch whose worker died: it goes by itself now. */
  alone?: boolean;
}

interface CallTask {
  readonly call: Call;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

type Job = { readonly fills: FillTask[]; next: number } | CallTask;

interface Slot {
  process: CageProcess;
  job: Job | undefined;
  timer: NodeJS.Timeout | undefined;
  timedOut: boolean;
  failedStarts: number;
}

const START_LIMIT_MS = 30_000;
/** So many fills of one request in a row were killed: the rest of it would be, too. */
const HOPELESS = 3;

/**
 * Opens a cage: child processes with an empty environment, a small heap and a time limit, killed
 * and started again when a template exceeds it. Compiling happens inside, too. Each worker keeps
 * its compiled templates, is sent a source once, and gets many fills in one message.
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
  } = options;
  const fills = new Fifo<FillTask>();
  const calls = new Fifo<CallTask>();
  const count = { fills: 0, failed: 0, timeouts: 0, outOfMemory: 0, restarts: 0 };
  const slots: Slot[] = [];
  let closed = false;
  for (let index = 0; index < workers; index++) slots.push(openSlot());

  function openSlot(): Slot {
    const slot: Slot = {
      process: undefined as unknown as CageProcess,
      job: undefined,
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
      onReport: (report) => receive(slot, report),
      onExit: () => exited(slot),
    });
    watch(slot, START_LIMIT_MS);
  }

  function watch(slot: Slot, limitMs: number): void {
    clearTimeout(slot.timer);
    slot.timer = setTimeout(() => {
      slot.timedOut = true;
      slot.process.kill();
    }, limitMs);
    slot.timer.unref();
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
    } else if (job && "call" in job) {
      if ("value" in report) job.resolve(report.value);
      if ("failed" in report) job.reject(callError(report.failed));
    }
    clearTimeout(slot.timer);
    slot.job = undefined;
    give();
  }

  function finish(task: FillTask, filled: Filled): void {
    count.fills++;
    task.streak.killed = 0;
    if (!("code" in filled)) {
      const parts: Record<string, string> = {};
      task.templates.forEach(([name], index) => parts[name] = filled[index] ?? "");
      return task.done({ ok: true, parts });
    }
    count.failed++;
    task.done({ ok: false, error: new RenderError(filled.code, filled.message, filled.place) });
  }

  function give(): void {
    for (const slot of slots) {
      if (closed || slot.job || !slot.process.isReady()) continue;
      const call = calls.take();
      if (call) {
        slot.job = call;
        watch(slot, publishTimeLimitMs);
        slot.process.send({ call: call.call });
      } else if (fills.size > 0) {
        giveFills(slot, nextBatch());
      }
    }
  }

  /** Shares what waits among the idle workers, and leaves a suspect by itself. */
  function nextBatch(): FillTask[] {
    const idle = slots.filter((slot) => !slot.job && slot.process.isReady()).length;
    const most = Math.min(batchSize, Math.ceil(fills.size / Math.max(1, idle)));
    const batch: FillTask[] = [];
    while (batch.length < most) {
      const next = fills.peek();
      if (!next || (next.alone && batch.length > 0)) break;
      fills.take();
      batch.push(next);
      if (next.alone) break;
    }
    return batch;
  }

  function giveFills(slot: Slot, batch: FillTask[]): void {
    slot.job = { fills: batch, next: 0 };
    watch(slot, timeLimitMs);
    try {
      slot.process.send(slot.process.orderFor(batch, outputLimit));
    } catch (error) {
      clearTimeout(slot.timer);
      slot.job = undefined;
      // What the worker holds is not known now: it starts afresh with the next fill.
      if (batch.length === 1) {
        refuse(batch, "data", `Cannot pass the values to the template: ${reasonOf(error)}`);
      } else retryAlone(batch);
      slot.process.kill();
    }
  }

  function exited(slot: Slot): void {
    clearTimeout(slot.timer);
    const { job, timedOut } = slot;
    slot.job = undefined;
    if (closed) return;
    count.restarts++;
    if (job) blame(job, timedOut);
    else if (++slot.failedStarts >= 3) return giveUp();
    start(slot);
    give();
  }

  function blame(job: Job, timedOut: boolean): void {
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
    const limit = timedOut ? `${timeLimitMs} ms` : `${memoryMb} MB of memory`;
    refuse(left, code, `Cannot fill the template: it needs more than ${limit}`);
    const [guilty] = left;
    if (guilty && ++guilty.streak.killed >= HOPELESS) {
      const rest = fills.remove((task) => task.streak === guilty.streak);
      const message =
        `Cannot fill the template: the ${HOPELESS} fills before it needed more than ${limit}`;
      refuse(rest, code, message);
    }
  }

  /** To the end of the queue: what came with a suspect may wait, others may not. */
  function retryAlone(tasks: FillTask[]): void {
    for (const task of tasks) {
      task.alone = true;
      fills.add(task);
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
    refuse(fills.remove(() => true), "cage", message);
    for (const call of calls.remove(() => true)) call.reject(new RenderError("cage", message));
  }

  function fill({ templates, fills: wanted }: FillRequest): Promise<FillResult[]> {
    const streak = { killed: 0 };
    const results = wanted.map(({ use = Object.keys(templates), data }) =>
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
        fills.add({ templates: named, data, streak, done });
      })
    );
    give();
    return Promise.all(results);
  }

  function call(wanted: Call): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (closed) return reject(closedError());
      calls.add({ call: wanted, resolve, reject });
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
    check: (input) => call({ op: "check", input }) as ReturnType<Cage["check"]>,
    publishEmail: (input) =>
      call({ op: "publishEmail", input }) as ReturnType<Cage["publishEmail"]>,
    publishPdf: (input) => call({ op: "publishPdf", input }) as ReturnType<Cage["publishPdf"]>,
    stats: () => ({
      workers,
      busy: slots.filter((slot) => slot.job).length,
      queued: fills.size + calls.size,
      ...count,
    }),
    [Symbol.asyncDispose]: async () => {
      closed = true;
      const left = slots.flatMap(({ job }) =>
        job && "fills" in job ? job.fills.slice(job.next) : []
      );
      for (const task of [...left, ...fills.remove(() => true)]) {
        task.done({ ok: false, error: closedError() });
      }
      const running = slots.flatMap(({ job }) => job && "call" in job ? [job] : []);
      for (const each of [...running, ...calls.remove(() => true)]) each.reject(closedError());
      await Promise.all(slots.map((slot) => {
        clearTimeout(slot.timer);
        return slot.process.stop();
      }));
    },
  };
}

function closedError(): RenderError {
  return new RenderError("closed", "Cannot fill the template: the cage is closed");
}

function callError(failed: { name: string; message: string; errors?: unknown }): Error {
  return failed.name === "InvalidTemplateError"
    ? new InvalidTemplateError(failed.errors as TemplateError[])
    : new RenderError("error", failed.message);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
