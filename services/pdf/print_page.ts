import type { Browser, BrowserContext, CDPSession } from "playwright-core";
import { setTimeout as delay } from "node:timers/promises";
import { SCRIPT_FONTS } from "./fonts.ts";
import { leavesTraces } from "./leaves_traces.ts";
import type { PageSize } from "./page_size.ts";

/** How many blocked addresses of one document are told. */
const MAX_BLOCKED = 20;

/** How long a page's crash may take to be known after a print has failed, in milliseconds. */
const CRASH_NOTICE_MS = 500;

/** Between two documents. */
const EMPTY = "<!DOCTYPE html>";

/** What a page prints. */
export interface PrintOrder {
  /** The whole document, policy and page rule in it. */
  document: string;
  size: PageSize;
  background: boolean;
  /** Pages after this one are not printed. */
  lastPage: number;
}

/** What a page gives back. */
export interface Printed {
  pdf: Buffer;
  /** Addresses that the document wanted to load and was refused. */
  blocked: string[];
}

/**
 * One page of the browser, in a context of its own, without scripts. It is used again and again:
 * a new page for each PDF would take eight times as long.
 */
export class PrintPage {
  readonly #context: BrowserContext;
  readonly #cdp: CDPSession;
  readonly #frameId: string;
  readonly #crash: Promise<never>;
  #blocked = new Set<string>();
  /** Settles when the page holds a document object that no job has touched. */
  #clean: Promise<unknown> = Promise.resolve();
  #printed = 0;

  private constructor(
    context: BrowserContext,
    cdp: CDPSession,
    { frameId, crash }: { frameId: string; crash: Promise<never> },
  ) {
    this.#context = context;
    this.#cdp = cdp;
    this.#frameId = frameId;
    this.#crash = crash;
    cdp.on("Audits.issueAdded", ({ issue }) => {
      const url = issue.details.contentSecurityPolicyIssueDetails?.blockedURL;
      if (url && this.#blocked.size < MAX_BLOCKED) this.#blocked.add(url.slice(0, 500));
    });
  }

  /** Opens a page. */
  static async open(browser: Browser): Promise<PrintPage> {
    const context = await browser.newContext({
      javaScriptEnabled: false,
      serviceWorkers: "block",
      acceptDownloads: false,
      viewport: { width: 16, height: 16 },
    });
    const page = await context.newPage();
    const cdp = await context.newCDPSession(page);
    const crash = new Promise<never>((_, reject) => {
      page.once("crash", () => reject(new Error("the page crashed")));
      page.once("close", () => reject(new Error("the page was closed")));
    });
    crash.catch(() => undefined);
    await cdp.send("Audits.enable");
    await cdp.send("Page.setFontFamilies", { fontFamilies: {}, forScripts: SCRIPT_FONTS });
    const { frameTree } = await cdp.send("Page.getFrameTree");
    return new PrintPage(context, cdp, { frameId: frameTree.frame.id, crash });
  }

  /** How many documents it has printed. */
  get printed(): number {
    return this.#printed;
  }

  /** Prints one document. After a failure the page must be closed, not used again. */
  async print(order: PrintOrder): Promise<Printed> {
    try {
      return await Promise.race([this.#print(order), this.#crash]);
    } catch (error) {
      // Chromium may say "Printing failed" a moment before it tells that the page's process is gone.
      await Promise.race([this.#crash, delay(CRASH_NOTICE_MS)]);
      throw error;
    }
  }

  /** Closes the page and all it knows. */
  async close(): Promise<void> {
    await this.#context.close().catch(() => undefined);
  }

  async #print({ document, size, background, lastPage }: PrintOrder): Promise<Printed> {
    await this.#clean;
    this.#blocked = new Set();
    await this.#show(document);
    const { data } = await this.#cdp.send("Page.printToPDF", {
      paperWidth: size.width,
      paperHeight: size.height,
      marginTop: size.margin.top,
      marginRight: size.margin.right,
      marginBottom: size.margin.bottom,
      marginLeft: size.margin.left,
      printBackground: background,
      preferCSSPageSize: true,
      generateTaggedPDF: false,
      generateDocumentOutline: false,
      pageRanges: `1-${lastPage}`,
    });
    await this.#untilTold();
    this.#printed++;
    return { pdf: Buffer.from(data, "base64"), blocked: [...this.#blocked] };
  }

  async #show(html: string): Promise<void> {
    await this.#cdp.send("Page.setDocumentContent", { frameId: this.#frameId, html });
  }

  /** Waits until the page's process has told all that it refused so far: it answers in order. */
  async #untilTold(): Promise<void> {
    await this.#cdp.send("Log.disable");
  }

  /**
   * Makes sure that nothing of a document is left: what it still asked for, such as an image that an
   * animation changes, would be told as refused to the next one, which is somebody else's. When the
   * page has answered, all was told. The next print waits for it; the caller need not.
   */
  clean(html: string): void {
    this.#clean = leavesTraces(html) ? this.#renew() : this.#show(EMPTY);
    this.#clean.catch(() => undefined);
  }

  async #renew(): Promise<void> {
    await this.#cdp.send("Page.navigate", { url: "about:blank" });
    await this.#untilTold();
  }
}
