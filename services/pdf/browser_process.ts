import type { CdpConnection } from "./cdp.ts";
import { IdlePages } from "./idle_pages.ts";
import { PageCrashError, type Printed, type PrintOrder, PrintPage } from "./print_page.ts";
import { killProcesses, memoryOf, processTree } from "./process_tree.ts";
import { type Look, type Looker, openLooker } from "./process_look.ts";
import type { StartedBrowser } from "./start_browser.ts";

/**
 * Maximum open pages, unless more print at the same time. With pages for each account, this many accounts have one.
 */
const MAX_PAGES = 8;

/**
 * A document of more pages leaves memory in the browser's page, up to 850 MB, which Chromium does not give back
 * while the page is open. The next document would exceed its limit.
 */
const LONG_DOCUMENT_PAGES = 100;

/** Time for a browser to close by itself, in milliseconds. */
const CLOSE_TIMEOUT = 5_000;

/** The browser opens no page, usually because the process that starts them has ended. No document caused it. */
export class NoPageError extends Error {
  override readonly name = "NoPageError";
}

/** A document exceeded its memory limit. */
export class MemoryError extends Error {
  override readonly name = "MemoryError";
}

/** One running Chromium: prints on its pages, and ends it. */
export class BrowserProcess {
  /** Id of the browser's main process, the parent of the others. */
  readonly pid: number;
  readonly startedAt = Date.now();
  readonly #looker: Looker;
  readonly #connection: CdpConnection;
  readonly #exited: Promise<void>;
  readonly #idle = new IdlePages<PrintPage>();
  #pages = 0;
  #busy = 0;
  #printed = 0;
  #ended: Promise<void> | undefined;
  #killed = false;
  #lost = false;
  /** Pages ended for their memory, whose print has not failed yet. */
  #tooLarge = 0;
  /** Their processes. Some are still ending when they are measured again. */
  readonly #endedTooLarge = new Set<number>();
  readonly #gone = Promise.withResolvers<never>();

  constructor({ pid, connection, ended }: StartedBrowser) {
    this.pid = pid;
    this.#connection = connection;
    this.#exited = ended;
    this.#looker = openLooker(pid);
    this.#gone.promise.catch(() => this.#lost = true);
    void connection.closed.then(() => this.#gone.reject(new Error("the browser has exited")));
  }

  /** Whether it runs and is not being closed. */
  get alive(): boolean {
    return this.#ended === undefined && !this.#lost;
  }

  /** Whether it was ended on purpose, with documents in print. */
  get killed(): boolean {
    return this.#killed;
  }

  /** How many documents it is printing now. */
  get busy(): number {
    return this.#busy;
  }

  /** How many documents it has printed. */
  get printed(): number {
    return this.#printed;
  }

  /** Prints a document on a free page of its owner, or on a new one. It fails when the browser ends. */
  async print(order: PrintOrder, owner: string): Promise<Printed> {
    this.#busy++;
    try {
      return await Promise.race([this.#printOnPage(order, owner), this.#gone.promise]);
    } finally {
      this.#busy--;
    }
  }

  async #printOnPage(order: PrintOrder, owner: string): Promise<Printed> {
    const page = this.#takeIdle(owner) ?? await this.#open();
    try {
      const printed = await page.print(order);
      this.#printed++;
      if (printed.pages > LONG_DOCUMENT_PAGES) this.#close(page);
      else this.#giveBack(page, owner);
      return printed;
    } catch (error) {
      this.#close(page);
      if (this.#tooLarge === 0 || !(error instanceof PageCrashError)) throw error;
      this.#tooLarge--;
      // The memory may be that of earlier documents: on a new page it is the document's own.
      if (page.printed > 0) throw error;
      throw new MemoryError("the page held too much memory", { cause: error });
    }
  }

  /** Takes an idle page. The process of one may have ended: the kernel chooses these when memory is short. */
  #takeIdle(owner: string): PrintPage | undefined {
    for (;;) {
      const page = this.#idle.take(owner);
      if (!page?.hasCrashed) return page;
      this.#close(page);
    }
  }

  /** Opens a page. A browser that cannot is lost: it would probably never open one again. */
  async #open(): Promise<PrintPage> {
    const oldest = this.#pages < MAX_PAGES ? undefined : this.#idle.takeOldest();
    if (oldest !== undefined) this.#close(oldest);
    this.#pages++;
    try {
      const page = await PrintPage.open(this.#connection);
      this.#looker.refresh();
      return page;
    } catch (cause) {
      this.#pages--;
      const error = new NoPageError("the browser opens no page", { cause });
      this.#gone.reject(error);
      throw error;
    }
  }

  /** Does not wait: a page that hangs cannot be closed. */
  #close(page: PrintPage): void {
    this.#pages--;
    void page.close();
  }

  #giveBack(page: PrintPage, owner: string): void {
    page.clean();
    this.#idle.give(page, owner);
  }

  /** Opens pages ahead of the first documents. */
  async warm(count: number): Promise<void> {
    const opening = Array.from({ length: count }, () => this.#open());
    const pages = await Promise.race([Promise.all(opening), this.#gone.promise]);
    for (const page of pages) this.#idle.give(page);
  }

  /** Whether it answers within `timeout` milliseconds. */
  async answers(timeout: number): Promise<boolean> {
    const asked = this.#connection.send("Browser.getVersion", {}).then(() => true, () => false);
    return await Promise.race([asked, after(timeout).then(() => false)]);
  }

  /** Measures what its processes use. */
  look(): Look {
    return this.#looker.look();
  }

  /** Returns the memory of all its processes, in bytes. */
  memory(): number {
    return memoryOf(processTree(this.pid));
  }

  /** Closes it normally, and by force if that takes too long. */
  close(): Promise<void> {
    return this.#ended ??= this.#closeAll();
  }

  /** Ends one of its processes that uses too much memory. The document on that page fails. */
  endTooLarge(pid: number): void {
    // It may have ended since the measurement, and another program may have its id.
    if (this.#endedTooLarge.has(pid) || !processTree(this.pid).includes(pid)) return;
    this.#endedTooLarge.add(pid);
    this.#tooLarge++;
    killProcesses([pid]);
  }

  /** Ends all its processes immediately. Its prints in progress fail. */
  kill(): Promise<void> {
    this.#killed ||= this.alive;
    this.#gone.reject(new Error("the browser was killed"));
    return this.#ended ??= this.#kill();
  }

  async #closeAll(): Promise<void> {
    this.#connection.send("Browser.close", {}).catch(() => undefined);
    const closed = this.#exited.then(() => true);
    if (!await Promise.race([closed, after(CLOSE_TIMEOUT).then(() => false)])) await this.#kill();
  }

  async #kill(): Promise<void> {
    killProcesses(processTree(this.pid));
    await Promise.race([this.#exited, after(CLOSE_TIMEOUT)]);
  }
}

function after(milliseconds: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds, undefined).unref());
}
