import { mkdir } from "node:fs/promises";
import { type PrintErrorCode, PRIORITIES, type Priority } from "@posthaste/contracts";
import { count } from "@posthaste/telemetry";
import { availableParallelism } from "node:os";
import { createAccountRuns } from "./account_runs.ts";
import { BrowserPool, type StopReason } from "./browser_pool.ts";
import { BrowserProcess, MemoryError, NoPageError } from "./browser_process.ts";
import { CdpError } from "./cdp.ts";
import { type DenyProxy, openDenyProxy } from "./deny_proxy.ts";
import { type Asker, createFairSlots } from "./fair_slots.ts";
import { findChromium, type FindChromiumOptions, type FoundChromium } from "./find_chromium.ts";
import { writeFontConfig } from "./fonts.ts";
import { browserUser, launchBrowser, type SandboxMode } from "./launch_browser.ts";
import { PrintError } from "./print_error.ts";
import {
  orderOf,
  PRINT_LIMITS,
  type PrintedPdf,
  type PrintJob,
  type PrintLimits,
  resultOf,
} from "./print_job.ts";
import type { Printed, PrintOrder } from "./print_page.ts";
import { timeoutReason } from "./timeout_reason.ts";
import { type WatchEnd, watchPrint } from "./watch_print.ts";

/** Increase it when the same source and the same Chromium produce other bytes than before. */
const PRINT_REVISION = 3;

/** How often a document may lose its browser or exceed its time before the document is held responsible. */
const MAX_CRASHES = 2;

/** Why a document is printed again, by how the watch over it ended. */
const WHY_AGAIN: Readonly<Record<WatchEnd["how"], string>> = {
  done: "the browser crashed",
  stuck: "the browser hung",
  overdue: "it took too long",
  starved: "it had too little processor time",
};

/** Niceness of each priority's browser. Bulk prints with what everything else on the machine leaves. */
const NICENESS: Readonly<Record<Priority, number>> = { transactional: 0, bulk: 10 };

/** How long a browser may take to answer a health check, in milliseconds. */
const HEALTH_TIMEOUT = 5_000;

/**
 * What documents share. With `document`, each has a document object of its own, in pages and processes
 * that all accounts use. With `account`, each account has pages and a renderer process of its own, too.
 */
export type PrintIsolation = "document" | "account";

/** Settings of the browsers. Times in milliseconds, sizes in bytes. */
export interface BrowserOptions extends FindChromiumOptions {
  /**
   * Maximum concurrent documents. Bulk holds at most three quarters of two or more.
   * @default the number of cores, which is also the best
   */
  concurrency?: number | undefined;
  /**
   * Processor time for one document, after which the browser is killed. Wall-clock time may be up to ten
   * times as long on a busy machine.
   * @default 30 s
   */
  timeLimit?: number | undefined;
  /** @default 20 s */
  launchTimeout?: number | undefined;
  limits?: Partial<PrintLimits> | undefined;
  /** @default 1 h */
  browserAge?: number | undefined;
  /** Of each. @default {1 GiB} */
  browserMemory?: number | undefined;
  /** @default {"auto"} */
  sandbox?: SandboxMode | undefined;
  /** @default {"document"} */
  isolation?: PrintIsolation | undefined;
  /** Receives log entries about the browser. */
  log?: ((level: "info" | "warn", message: string) => void) | undefined;
}

/** Counts since the browser was opened. */
export interface BrowserStats {
  printed: number;
  failed: number;
  /** Documents being printed, and waiting for their turn. */
  busy: number;
  waiting: number;
  launches: number;
  stops: Record<StopReason, number>;
  /** Connections to the deny-all proxy. */
  refused: number;
  /** Ids of the running browsers' main processes, that for transactional priority first. */
  pids: number[];
}

/** Options of one print. */
export interface PrintOptions {
  /** Ends the wait, not the print. */
  signal?: AbortSignal | undefined;
  /** Called when the document's turn comes. */
  onTurn?: (() => void) | undefined;
  /**
   * Account and priority that it prints for.
   * @default no account, with transactional priority
   */
  asker?: Asker | undefined;
  /**
   * A time limit below the browser's own, in milliseconds, for interactive requests. A document that takes
   * longer is not retried.
   * @default the browser's limit
   */
  timeLimit?: number | undefined;
}

const NOBODY: Asker = { accountId: "", priority: "transactional" };

/** Prints documents, also across failures of Chromium: each priority on a browser of its own. */
export interface PdfBrowser extends AsyncDisposable {
  /** The engine, for `printKey()`: Chromium's version, the fonts, and `PRINT_REVISION`. */
  readonly engine: string;
  /**
   * Prints one document. A document that loses its browser because of another document is printed again on
   * the next one.
   *
   * @throws {PrintError}
   */
  print(job: PrintJob, options?: PrintOptions): Promise<PrintedPdf>;
  /** Starts the browser for transactional priority before the first document needs it. */
  warm(): Promise<void>;
  /**
   * Returns whether the browsers answer; a browser that is not needed yet counts as healthy. It starts one again that
   * did not start, and ends an idle one that does not answer.
   */
  healthy(): Promise<boolean>;
  stats(): BrowserStats;
  /** Returns the memory of the browsers in bytes, and replaces those over a limit. Must be called every few seconds. */
  inspect(): number;
}

/**
 * Finds Chromium and the fonts, and opens the deny-all proxy. A browser is started by the first document of its
 * priority or by `warm()`. Disposing waits for the documents in print and ends every process.
 *
 * @throws {Error} When no Chromium is found.
 */
export async function openBrowser(options: BrowserOptions): Promise<PdfBrowser> {
  await mkdir(options.cacheDir, { recursive: true });
  const chromium = await findChromium(options);
  const { sandbox = "auto" } = options;
  const fonts = await writeFontConfig(options.cacheDir, {
    copies: browserUser(sandbox) !== undefined,
  });
  const proxy = await openDenyProxy();
  return new Supervisor(options, { chromium, fonts, proxy });
}

interface Parts {
  chromium: FoundChromium;
  fonts: { file: string; revision: string };
  proxy: DenyProxy;
}

class Supervisor implements PdfBrowser {
  readonly engine: string;
  readonly #options: BrowserOptions;
  readonly #parts: Parts;
  readonly #limits: PrintLimits;
  readonly #concurrency: number;
  readonly #slots;
  readonly #pools: Readonly<Record<Priority, BrowserPool>>;
  readonly #inPrint = new Set<Promise<unknown>>();
  readonly #stops: Record<StopReason, number> = { recycled: 0, timeout: 0, crashed: 0 };
  #printed = 0;
  #failed = 0;
  #busy = 0;
  #launches = 0;
  #closed = false;

  constructor(options: BrowserOptions, parts: Parts) {
    const { chromium, fonts } = parts;
    this.engine = `${chromium.version}; fonts ${fonts.revision}; print ${PRINT_REVISION}`;
    this.#options = options;
    this.#parts = parts;
    this.#limits = { ...PRINT_LIMITS, ...options.limits };
    this.#concurrency = options.concurrency ?? availableParallelism();
    const slots = createFairSlots(this.#concurrency);
    this.#slots = options.isolation === "account"
      ? createAccountRuns(slots, this.#concurrency)
      : slots;
    this.#pools = { transactional: this.#openPool("transactional"), bulk: this.#openPool("bulk") };
    if (!chromium.headlessShell) {
      this.#log("warn", `${chromium.version} is a full browser: a headless shell prints faster`);
    }
  }

  async print(job: PrintJob, options: PrintOptions = {}): Promise<PrintedPdf> {
    const { signal, asker = NOBODY, timeLimit, onTurn } = options;
    try {
      const order = orderOf(job, this.#limits);
      const work = this.#takeTurn(job, { order, signal, asker, timeLimit, onTurn });
      const settled = work.catch(() => undefined).finally(() => this.#inPrint.delete(settled));
      this.#inPrint.add(settled);
      const printed = await unlessAborted(job, { work, signal });
      const result = await resultOf(job, printed, this.#limits);
      this.#printed++;
      return result;
    } catch (error) {
      this.#failed++;
      throw error;
    }
  }

  async warm(): Promise<void> {
    await this.#pools.transactional.running();
  }

  async healthy(): Promise<boolean> {
    if (this.#closed) return false;
    const answers = await Promise.all(PRIORITIES.map((priority) => this.#answers(priority)));
    return answers.every(Boolean);
  }

  stats(): BrowserStats {
    return {
      printed: this.#printed,
      failed: this.#failed,
      busy: this.#busy,
      waiting: this.#slots.waiting,
      launches: this.#launches,
      stops: { ...this.#stops },
      refused: this.#parts.proxy.refused,
      pids: PRIORITIES.flatMap((priority) => this.#pools[priority].current?.pid ?? []),
    };
  }

  inspect(): number {
    return PRIORITIES.reduce((sum, priority) => sum + this.#pools[priority].inspect(), 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#inPrint);
    await Promise.all(PRIORITIES.map((priority) => this.#pools[priority].close()));
    await this.#parts.proxy[Symbol.asyncDispose]();
  }

  /** Returns whether a priority's browser answers. Otherwise it is started again: no document may follow that would. */
  async #answers(priority: Priority): Promise<boolean> {
    const pool = this.#pools[priority];
    const process = pool.current;
    if (process === undefined) {
      if (!pool.hasFailed) return true;
      pool.running().catch(() => undefined);
      return false;
    }
    const isAnswering = await process.answers(HEALTH_TIMEOUT);
    // Documents in print are watched.
    if (!isAnswering && process.busy === 0) pool.lose(process, "timeout");
    return isAnswering;
  }

  async #takeTurn(
    job: PrintJob,
    { order, signal, asker, timeLimit, onTurn }: {
      order: PrintOrder;
      signal: AbortSignal | undefined;
      asker: Asker;
      timeLimit: number | undefined;
      onTurn: (() => void) | undefined;
    },
  ): Promise<Printed> {
    using _place = await this.#slots.take(asker);
    this.#busy++;
    try {
      if (signal?.aborted) throw aborted(job);
      onTurn?.();
      return await this.#printUntilDone(job, { order, asker, timeLimit });
    } finally {
      this.#busy--;
    }
  }

  async #printUntilDone(
    job: PrintJob,
    { order, asker: { accountId, priority }, timeLimit }: {
      order: PrintOrder;
      asker: Asker;
      timeLimit: number | undefined;
    },
  ): Promise<Printed> {
    const pool = this.#pools[priority];
    const owner = this.#options.isolation === "account" ? accountId : "";
    const time = Math.min(timeLimit ?? this.#timeLimit, this.#timeLimit);
    for (let crashes = 0;;) {
      const process = await this.#running(job, pool);
      const outcome = await this.#printOnce(process, { order, owner, time, pool });
      pool.afterPrint(process);
      if (outcome.printed) return outcome.printed;
      if (outcome.cause instanceof MemoryError) throw this.#tooLarge(job, outcome.cause);
      // Another document was the reason, and has its own failure.
      if (process.killed && outcome.end.how === "done") continue;
      if (!process.alive) pool.lose(process, "crashed");
      const { how } = outcome.end;
      const isHurried = timeLimit !== undefined && how !== "done";
      if (++crashes < MAX_CRASHES && !isHurried) {
        this.#log("warn", `Printing again for account "${accountId}": ${WHY_AGAIN[how]}`);
        continue;
      }
      // The first time, the browser itself may have hung, even if it used the processor: it may have worked
      // for a neighbour.
      if (how === "overdue" || how === "starved") throw timedOut(job, outcome.end, time);
      if (outcome.cause instanceof NoPageError) {
        throw unavailable(job, outcome.cause.message, outcome.cause);
      }
      throw how === "stuck" ? stuck(job, outcome.cause) : failed(job, outcome.cause);
    }
  }

  /** Prints on one browser, which is killed when it takes too long. */
  async #printOnce(
    process: BrowserProcess,
    { order, owner, time, pool }: {
      order: PrintOrder;
      owner: string;
      time: number;
      pool: BrowserPool;
    },
  ): Promise<{ printed?: Printed; end: WatchEnd; cause?: unknown }> {
    let end: WatchEnd = { how: "done", elapsedMs: 0, workedMs: 0 };
    const done = new AbortController();
    void watchPrint(() => process.look(), {
      time,
      memory: this.#limits.memoryBytes,
      beside: () => process.busy,
      onTooLarge: (pid) => process.endTooLarge(pid),
      signal: done.signal,
    }).then((watched) => {
      end = watched;
      if (watched.how !== "done") pool.lose(process, "timeout");
    });
    try {
      return { printed: await process.print(order, owner), end };
    } catch (cause) {
      return { end, cause };
    } finally {
      done.abort();
    }
  }

  async #running(job: PrintJob, pool: BrowserPool): Promise<BrowserProcess> {
    if (this.#closed) throw unavailable(job, "the service is shutting down");
    try {
      return await pool.running();
    } catch (cause) {
      throw unavailable(job, "the browser did not start", cause);
    }
  }

  #openPool(priority: Priority): BrowserPool {
    const { browserAge, browserMemory } = this.#options;
    return new BrowserPool({
      launch: () => this.#launch(priority),
      pages: this.#concurrency,
      recycle: { age: browserAge ?? 3_600_000, memory: browserMemory ?? 1024 ** 3 },
      onStop: (reason, process) => this.#onStop(priority, { reason, process }),
    });
  }

  async #launch(priority: Priority): Promise<BrowserProcess> {
    this.#launches++;
    const { chromium, fonts, proxy } = this.#parts;
    const what = `${chromium.version} for ${priority} priority`;
    try {
      const started = await launchBrowser({
        chromium,
        fontsFile: fonts.file,
        home: this.#options.cacheDir,
        proxyPort: proxy.port,
        sandbox: this.#options.sandbox ?? "auto",
        niceness: NICENESS[priority],
        launchTimeout: this.#options.launchTimeout ?? 20_000,
        onWarning: (message) => this.#log("warn", message),
      });
      this.#log("info", `Started ${what} (process ${started.pid})`);
      return new BrowserProcess(started);
    } catch (error) {
      this.#log("warn", `Cannot start ${what}: ${String(error)}`);
      throw error;
    }
  }

  #onStop(
    priority: Priority,
    { reason, process }: { reason: StopReason; process: BrowserProcess },
  ): void {
    this.#stops[reason]++;
    count("posthaste.browser.restarts", 1, { "posthaste.reason": reason });
    const after = `after ${process.printed} documents`;
    this.#log(
      reason === "recycled" ? "info" : "warn",
      `The browser for ${priority} priority is replaced ${after}: ${reason}`,
    );
  }

  #tooLarge(job: PrintJob, cause: MemoryError): PrintError {
    const megabytes = Math.round(this.#limits.memoryBytes / 1024 ** 2);
    const reason = `it needs more than ${megabytes} MB of browser memory`;
    return new PrintError({ name: job.name, code: "too_large", reason, cause });
  }

  get #timeLimit(): number {
    return this.#options.timeLimit ?? 30_000;
  }

  #log(level: "info" | "warn", message: string): void {
    this.#options.log?.(level, message);
  }
}

/** Returns the result of the work, or rejects when the caller stops waiting. */
async function unlessAborted<T>(
  job: PrintJob,
  { work, signal }: { work: Promise<T>; signal: AbortSignal | undefined },
): Promise<T> {
  if (!signal) return await work;
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(aborted(job));
  signal.addEventListener("abort", onAbort);
  try {
    if (signal.aborted) onAbort();
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

function aborted(job: PrintJob): PrintError {
  return new PrintError({ name: job.name, code: "aborted", reason: "the request was canceled" });
}

function unavailable(job: PrintJob, reason: string, cause?: unknown): PrintError {
  return new PrintError({ name: job.name, code: "unavailable", reason, cause });
}

/** Returns the error of a document that exceeded its time limit, or had too little of it. */
function timedOut(job: PrintJob, end: WatchEnd, time: number): PrintError {
  const reason = timeoutReason(end, time);
  // On a machine with more time for it, a starved one may be done.
  const code = end.how === "starved" ? "crashed" : "timeout";
  return new PrintError({ name: job.name, code, reason });
}

/** The browser was idle, so the document is probably not the cause. */
function stuck(job: PrintJob, cause: unknown): PrintError {
  return new PrintError({
    name: job.name,
    code: "crashed",
    reason: "the browser hung on it",
    cause,
  });
}

/** Chromium either reported an error for the document, or died of it. */
function failed(job: PrintJob, cause: unknown): PrintError {
  const refused = cause instanceof CdpError && cause.isRefusal;
  const code: PrintErrorCode = refused ? "invalid" : "crashed";
  const reason = refused ? "the browser cannot print it" : "the browser crashed on it";
  return new PrintError({ name: job.name, code, reason, cause });
}
