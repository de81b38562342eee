import type { Browser, BrowserContext, CDPSession } from "playwright-core";
import { setTimeout as delay } from "node:timers/promises";
import { SCRIPT_FONTS } from "./fonts.ts";
import type { PageSize } from "./page_size.ts";

/** How many blocked addresses of one document are told. */
const MAX_BLOCKED = 20;

/** How long a page's crash may take to be known after a print has failed, in milliseconds. */
const CRASH_NOTICE_MS = 500;

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
 * One page of the browser, in a context of its own, without scripts. It is used again and again, with
 * a new document object for each document: a new page would take four times as long.
 */
export class PrintPage {
  readonly #context: BrowserContext;
  readonly #cdp: CDPSession;
  readonly #frameId: string;
  readonly #crash: Promise<never>;
  #blocked = new Set<string>();
  /** Settles when the page has a document object that no document has touched. */
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
      this.#refused(issue.details.contentSecurityPolicyIssueDetails?.blockedURL);
    });
    // The second wall: the policy lets nothing come so far.
    cdp.on("Fetch.requestPaused", ({ requestId, request }) => {
      this.#refused(request.url);
      const refusal = { requestId, errorReason: "BlockedByClient" } as const;
      cdp.send("Fetch.failRequest", refusal).catch(() => undefined);
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
    await cdp.send("Fetch.enable", { patterns: [{ urlPattern: "*" }] });
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
    await this.#cdp.send("Page.setDocumentContent", { frameId: this.#frameId, html: document });
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

  /** Waits until the page's process has told all that it refused so far: it answers in order. */
  async #untilTold(): Promise<void> {
    await this.#cdp.send("Log.disable");
  }

  /**
   * Gives the page a new document object, whatever the last document was: a policy, a refresh or a
   * default style sheet stays with the object, not with its content. What the last one still asked for
   * was told when the page has answered. The next print waits for it; the caller need not.
   */
  clean(): void {
    this.#clean = this.#cdp.send("Page.navigate", { url: "about:blank" })
      .then(() => this.#untilTold());
    this.#clean.catch(() => undefined);
  }

  #refused(url: string | undefined): void {
    if (url && this.#blocked.size < MAX_BLOCKED) this.#blocked.add(url.slice(0, 500));
  }
}
