import { answerWithin } from "@posthaste/runtime";
import type { BrowserProcess } from "./browser_process.ts";

/** The limits at which a browser is replaced. */
export interface RecycleLimits {
  /** In milliseconds. */
  age: number;
  /** Of all its processes, in bytes. */
  memory: number;
}

/** Why a browser was replaced. */
export type StopReason = "recycled" | "timeout" | "crashed";

/** How the pool starts a browser, and reports that one stopped. */
export interface BrowserPoolOptions {
  launch(): Promise<BrowserProcess>;
  /** Pages that a successor opens before it takes documents. The first browser opens one. */
  pages: number;
  recycle: RecycleLimits;
  onStop(reason: StopReason, process: BrowserProcess): void;
}

/** Time for a browser to open its first pages. */
const WARM_MS = 20_000;

/** Pause after a successor did not start. */
const RETRY_MS = 10_000;

/**
 * Keeps one browser running from its first use on. An old browser takes documents until its successor is ready,
 * and is closed after the last of them.
 */
export class BrowserPool {
  readonly #options: BrowserPoolOptions;
  #current: BrowserProcess | undefined;
  #hasFailed = false;
  #notBefore = 0;
  #starting: Promise<BrowserProcess> | undefined;
  readonly #retired = new Set<BrowserProcess>();
  readonly #stopping = new Set<Promise<void>>();

  constructor(options: BrowserPoolOptions) {
    this.#options = options;
  }

  /** The running browser, if there is one. */
  get current(): BrowserProcess | undefined {
    return this.#current?.alive ? this.#current : undefined;
  }

  /** Whether the last start failed. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** Returns a running browser, and starts one if necessary. After a failure the next call tries again. */
  async running(): Promise<BrowserProcess> {
    if (this.#current && !this.#current.alive) this.lose(this.#current, "crashed");
    return this.#current ?? await this.#start();
  }

  /** Ends a browser immediately. Its prints in progress fail. */
  lose(process: BrowserProcess, reason: StopReason): void {
    if (this.#current !== process && !this.#retired.has(process)) return;
    // A retired one is counted already.
    if (!this.#retired.delete(process)) {
      this.#current = undefined;
      this.#options.onStop(reason, process);
    }
    this.#track(process.kill());
  }

  /** Closes a replaced browser after its last document. Must be called after each document. */
  afterPrint(process: BrowserProcess): void {
    if (this.#retired.has(process)) this.#closeIfIdle(process);
  }

  /** Returns the memory of all browsers in bytes, and replaces the current one if it is over a limit. */
  inspect(): number {
    const { current } = this;
    const own = current?.memory() ?? 0;
    const { age, memory } = this.#options.recycle;
    // A successor of one that has printed nothing would be the same.
    if (current !== undefined && current.printed > 0) {
      if (Date.now() - current.startedAt >= age || own > memory) this.#replace();
    }
    return [...this.#retired].reduce((sum, process) => sum + process.memory(), own);
  }

  /** Closes every browser and waits until its processes are gone. */
  async close(): Promise<void> {
    await this.#starting?.catch(() => undefined);
    for (const process of [this.#current, ...this.#retired]) {
      if (process) this.#track(process.close());
    }
    this.#current = undefined;
    this.#retired.clear();
    await Promise.all(this.#stopping);
  }

  /** If no successor starts, the old browser goes on, and a later inspection tries again. */
  #replace(): void {
    if (Date.now() < this.#notBefore) return;
    this.#start().catch(() => this.#notBefore = Date.now() + RETRY_MS);
  }

  #start(): Promise<BrowserProcess> {
    return this.#starting ??= this.#launch().finally(() => this.#starting = undefined);
  }

  async #launch(): Promise<BrowserProcess> {
    try {
      const started = await this.#options.launch();
      await this.#warm(started);
      this.#hasFailed = false;
      const old = this.#current;
      this.#current = started;
      if (old) this.#retire(old);
      return started;
    } catch (error) {
      this.#hasFailed = true;
      throw error;
    }
  }

  /** @throws {Error} If it opens no pages: no document could be printed */
  async #warm(started: BrowserProcess): Promise<void> {
    try {
      // If documents wait for it, one is enough.
      await answerWithin(WARM_MS, started.warm(this.current ? this.#options.pages : 1));
    } catch (error) {
      this.#options.onStop("crashed", started);
      this.#track(started.kill());
      throw error;
    }
  }

  #retire(process: BrowserProcess): void {
    this.#retired.add(process);
    this.#options.onStop("recycled", process);
    this.#closeIfIdle(process);
  }

  #closeIfIdle(process: BrowserProcess): void {
    if (process.busy > 0) return;
    this.#retired.delete(process);
    this.#track(process.close());
  }

  #track(work: Promise<void>): void {
    const tracked = work.catch(() => undefined).finally(() => this.#stopping.delete(tracked));
    this.#stopping.add(tracked);
  }
}
