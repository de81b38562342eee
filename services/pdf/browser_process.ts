import { fileURLToPath } from "node:url";
import { type Browser, chromium } from "playwright-core";
import { chromiumFlags } from "./chromium_flags.ts";
import { type BrowserProfile, openProfile } from "./browser_profile.ts";
import type { FoundChromium } from "./find_chromium.ts";
import { IdlePages } from "./idle_pages.ts";
import { type Printed, type PrintOrder, PrintPage } from "./print_page.ts";
import { killProcesses, memoryOf, processTree } from "./process_tree.ts";

/** How a browser is started. */
export interface LaunchOptions {
  chromium: FoundChromium;
  /** `FONTCONFIG_FILE`. */
  fontsFile: string;
  /** Where the browser may write: its `HOME`. */
  home: string;
  /** The deny-all proxy on loopback. */
  proxyPort: number;
  /** Whether Chromium's sandbox is on. */
  sandbox: boolean;
  /** Id of the user that it runs as. Default: the service's. */
  user?: number | undefined;
  /** How many documents a page prints before it is replaced with its context. */
  printsPerPage: number;
  /** In milliseconds. */
  launchTimeout: number;
}

/** Starts the browser at a low priority. */
const BROWSER = fileURLToPath(new URL("./_browser.sh", import.meta.url));

/** Pages that wait for a document at a time. With pages for each account, so many accounts have one. */
const MAX_IDLE_PAGES = 8;

/** How long a browser may take to close by itself, in milliseconds. */
const CLOSE_TIMEOUT = 5_000;

/** A document took more memory than one may. */
export class MemoryError extends Error {
  override readonly name = "MemoryError";
}

/** One running Chromium: its pages, and the means to be rid of it. */
export class BrowserProcess {
  /** The browser's own process; the others are under it. */
  readonly pid: number;
  readonly startedAt = Date.now();
  readonly #browser: Browser;
  readonly #profile: BrowserProfile;
  readonly #printsPerPage: number;
  readonly #idle = new IdlePages<PrintPage>(MAX_IDLE_PAGES);
  #busy = 0;
  #printed = 0;
  #ended: Promise<void> | undefined;
  #killed = false;
  #lost = false;
  /** Pages that were ended for what they hold, and have not been missed yet. */
  #tooLarge = 0;
  readonly #gone = Promise.withResolvers<never>();

  private constructor(
    browser: Browser,
    { pid, printsPerPage, profile }: {
      pid: number;
      printsPerPage: number;
      profile: BrowserProfile;
    },
  ) {
    this.#browser = browser;
    this.#profile = profile;
    this.pid = pid;
    this.#printsPerPage = printsPerPage;
    this.#gone.promise.catch(() => this.#lost = true);
    browser.once("disconnected", () => this.#gone.reject(new Error("the browser is gone")));
  }

  /** Starts a browser. */
  static async launch(options: LaunchOptions): Promise<BrowserProcess> {
    const { printsPerPage } = options;
    const profile = await openProfile(options);
    const browser = await chromium.launch({
      executablePath: BROWSER,
      args: chromiumFlags(options.proxyPort),
      chromiumSandbox: options.sandbox,
      // Nothing of the service's environment, where its secrets are.
      env: {
        ...options.chromium.env,
        BROWSER: options.chromium.executablePath,
        FONTCONFIG_FILE: options.fontsFile,
        HOME: options.home,
        ...profile.env,
        LANG: "C.UTF-8",
        TZ: "UTC",
      },
      timeout: options.launchTimeout,
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    }).catch(async (error) => {
      await profile.remove();
      throw error;
    });
    try {
      const pid = await Promise.race([pidOf(browser), after(options.launchTimeout)]);
      if (pid === undefined) throw new Error("the browser does not tell its process id");
      return new BrowserProcess(browser, { pid, printsPerPage, profile });
    } catch (error) {
      await Promise.race([browser.close().catch(() => undefined), after(CLOSE_TIMEOUT)]);
      await profile.remove();
      throw error;
    }
  }

  /** Whether it is running and wanted. */
  get alive(): boolean {
    return this.#ended === undefined && !this.#lost && this.#browser.isConnected();
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

  /**
   * Prints a document on a page of its owner that is free, or on a new one. It fails when the browser
   * goes, whatever Playwright was waiting for: not every wait of its own ends then.
   */
  async print(order: PrintOrder, owner: string): Promise<Printed> {
    this.#busy++;
    try {
      return await Promise.race([this.#printOnPage(order, owner), this.#gone.promise]);
    } catch (error) {
      // Playwright may learn a little later that the browser is gone: none may be given out again.
      if (isClosed(error)) this.#lost = true;
      throw error;
    } finally {
      this.#busy--;
    }
  }

  async #printOnPage(order: PrintOrder, owner: string): Promise<Printed> {
    const page = this.#idle.take(owner) ?? await PrintPage.open(this.#browser);
    try {
      const printed = await page.print(order);
      this.#printed++;
      this.#giveBack(page, owner);
      return printed;
    } catch (error) {
      // Not awaited: a page that hangs cannot be closed.
      page.close();
      if (this.#tooLarge === 0 || !/page crashed/.test(String(error))) throw error;
      this.#tooLarge--;
      throw new MemoryError("the page held too much memory", { cause: error });
    }
  }

  #giveBack(page: PrintPage, owner: string): void {
    if (page.printed >= this.#printsPerPage) {
      page.close();
      return;
    }
    page.clean();
    this.#idle.give(page, owner);
  }

  /** Opens pages ahead of the first documents. */
  async warm(count: number): Promise<void> {
    const opening = Array.from({ length: count }, () => PrintPage.open(this.#browser));
    const pages = await Promise.race([Promise.all(opening), this.#gone.promise]);
    for (const page of pages) this.#idle.give(page);
  }

  /** Whether it answers within `timeout` milliseconds. */
  async answers(timeout: number): Promise<boolean> {
    const asked = this.#browser.newBrowserCDPSession().then(async (session) => {
      await session.send("Browser.getVersion");
      await session.detach();
      return true;
    });
    return await Promise.race([asked.catch(() => false), after(timeout).then(() => false)]);
  }

  /** The memory of all its processes, in bytes. */
  async memory(): Promise<number> {
    return await memoryOf(await processTree(this.pid));
  }

  /** Closes it in good order, and by force if that takes too long. */
  close(): Promise<void> {
    return this.#ended ??= this.#close().finally(() => this.#profile.remove());
  }

  /** Ends one of its processes, which holds too much: the document on that page fails. */
  endTooLarge(pid: number): void {
    this.#tooLarge++;
    killProcesses([pid]);
  }

  /** Ends all its processes at once. What it was printing fails. */
  kill(): Promise<void> {
    this.#killed ||= this.alive;
    this.#gone.reject(new Error("the browser was killed"));
    return this.#ended ??= this.#kill().finally(() => this.#profile.remove());
  }

  async #close(): Promise<void> {
    const closed = this.#browser.close().then(() => true, () => false);
    if (!await Promise.race([closed, after(CLOSE_TIMEOUT).then(() => false)])) await this.#kill();
  }

  async #kill(): Promise<void> {
    killProcesses(await processTree(this.pid));
    // Playwright notices the death, and then removes the browser's profile.
    await Promise.race([this.#browser.close().catch(() => undefined), after(CLOSE_TIMEOUT)]);
  }
}

async function pidOf(browser: Browser): Promise<number | undefined> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  return processInfo.find(({ type }) => type === "browser")?.id;
}

/** Whether Playwright lost the page together with its browser: a crashed page is another error. */
function isClosed(error: unknown): boolean {
  return /browser has been closed|the page was closed/.test(String(error));
}

function after(milliseconds: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds, undefined).unref());
}
