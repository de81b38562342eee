import { answerWithin } from "@posthaste/runtime";
import type { CdpConnection, CdpEvents, CdpSession } from "./cdp.ts";
import { SCRIPT_FONTS } from "./fonts.ts";
import { countPages } from "./neutral_pdf.ts";
import type { PageSize } from "./page_size.ts";

/** Maximum number of blocked addresses reported for one document. */
const MAX_BLOCKED = 20;

/** Time for a page to answer after a failed print, in milliseconds. */
const ANSWER_MS = 5000;

/** The screen is not used, and each pixel costs. */
const SCREEN = { width: 16, height: 16 };

/** One order to a page. */
export interface PrintOrder {
  /** The whole document, with policy and page rule. */
  document: string;
  size: PageSize;
  background: boolean;
  tagged: boolean;
  /** Has an effect in a tagged PDF alone. */
  outline: boolean;
  /** Whether to list the document's own fonts that the browser refused. */
  listsFonts: boolean;
  /** Whether the totals of an invoice are read from the document. */
  readsTotals: boolean;
  /** Pages after this one are not printed. */
  lastPage: number;
}

/** An element with `data-invoice-total`. */
export interface PageTotal {
  /** Value of the attribute. */
  mark: string;
  text: string;
}

/**
 * Reads the marked totals: at most 100, and of each at most 200 characters. The document's names could hide
 * the methods of its objects (DOM clobbering), but not those of the prototypes.
 */
const READ_TOTALS = `Array.from(
  Document.prototype.querySelectorAll.call(document, "[data-invoice-total]"),
  (element) => ({
    mark: Element.prototype.getAttribute.call(element, "data-invoice-total").trim().slice(0, 200),
    text: Reflect.get(Node.prototype, "textContent", element).trim().slice(0, 200),
  }),
).slice(0, 100)`;

/**
 * Names the fonts of the document that the browser refused: at most 20, and of each at most 100 characters. One by
 * address has failed, too, and is among the refused addresses.
 */
const READ_FONTS = `Array.from(
  FontFaceSet.prototype.values.call(Reflect.get(Document.prototype, "fonts", document)),
).filter((font) => font.status === "error").map((font) => font.family.slice(0, 100)).slice(0, 20)`;

/** The result of an order. */
export interface Printed {
  pdf: Buffer;
  /** Number of its pages. */
  pages: number;
  /** The marked totals of an invoice; empty if they were not to be read. */
  totals: PageTotal[];
  /** Refused addresses that the document wanted to load. */
  blocked: string[];
  /** Families of the document's own fonts that the browser refused; empty if they were not to be listed. */
  brokenFonts: string[];
}

/** The page's process has ended. */
export class PageCrashError extends Error {
  override readonly name = "PageCrashError";
}

/**
 * One page of the browser, in a context of its own, without scripts. It is reused, with a new document object
 * for each document: a new page would take four times as long.
 */
export class PrintPage {
  readonly #browser: CdpConnection;
  readonly #contextId: string;
  readonly #session: CdpSession;
  readonly #crash = Promise.withResolvers<never>();
  #frameId = "";
  #blocked = new Set<string>();
  /** Settles when the page has a document object that no document has touched. */
  #clean: Promise<unknown> = Promise.resolve();
  #printed = 0;
  #hasCrashed = false;

  private constructor(
    browser: CdpConnection,
    { contextId, sessionId }: { contextId: string; sessionId: string },
  ) {
    this.#browser = browser;
    this.#contextId = contextId;
    this.#crash.promise.catch(() => undefined);
    this.#session = browser.session(sessionId, (event, params) => this.#hear(event, params));
  }

  /** Opens a page. */
  static async open(browser: CdpConnection): Promise<PrintPage> {
    const { browserContextId: contextId } = await browser.send("Target.createBrowserContext", {});
    const [{ targetId }] = await Promise.all([
      browser.send("Target.createTarget", {
        url: "about:blank",
        browserContextId: contextId,
        ...SCREEN,
      }),
      browser.send("Browser.setDownloadBehavior", {
        behavior: "deny",
        browserContextId: contextId,
      }),
    ]);
    const { sessionId } = await browser.send("Target.attachToTarget", { targetId, flatten: true });
    const page = new PrintPage(browser, { contextId, sessionId });
    try {
      // Its process may end before the page is open.
      await Promise.race([page.#begin(), page.#crash.promise]);
      return page;
    } catch (error) {
      void page.close();
      throw error;
    }
  }

  /** Whether its process has ended. */
  get hasCrashed(): boolean {
    return this.#hasCrashed;
  }

  /** How many documents it has printed. */
  get printed(): number {
    return this.#printed;
  }

  /**
   * Prints one document. After a failure the page must be closed, not used again.
   *
   * @throws {PageCrashError}
   */
  async print(order: PrintOrder): Promise<Printed> {
    try {
      return await Promise.race([this.#print(order), this.#crash.promise]);
    } catch (error) {
      if (!(error instanceof PageCrashError)) await this.#assertAnswers(error);
      throw error;
    }
  }

  /**
   * Chromium reports "Printing failed" when the page's process ends, too: before it reports the end, or without
   * reporting it.
   *
   * @throws {PageCrashError} If the page no longer answers.
   */
  async #assertAnswers(cause: unknown): Promise<void> {
    const answer = answerWithin(ANSWER_MS, this.#untilReported());
    const answers = await Promise.race([answer, this.#crash.promise]).then(() => true, () => false);
    if (!answers) throw new PageCrashError("the page no longer answers", { cause });
  }

  /** Closes the page and its context. */
  async close(): Promise<void> {
    await this.#browser.send("Target.disposeBrowserContext", { browserContextId: this.#contextId })
      .catch(() => undefined);
  }

  async #begin(): Promise<void> {
    const { send } = this.#session;
    const [{ frameTree }] = await Promise.all([
      send("Page.getFrameTree", {}),
      // Also reports a crash from before the call.
      send("Inspector.enable", {}),
      send("Emulation.setScriptExecutionDisabled", { value: true }),
      send("Audits.enable", {}),
      send("Fetch.enable", { patterns: [{ urlPattern: "*" }] }),
      send("Page.setFontFamilies", { fontFamilies: {}, forScripts: SCRIPT_FONTS }),
    ]);
    this.#frameId = frameTree.frame.id;
  }

  async #print({ document, size, lastPage, ...order }: PrintOrder): Promise<Printed> {
    const { send } = this.#session;
    await this.#clean;
    this.#blocked = new Set();
    await send("Page.setDocumentContent", { frameId: this.#frameId, html: document });
    // The browser works on both in this order.
    const reading = order.readsTotals ? this.#evaluate<PageTotal[]>(READ_TOTALS) : [];
    const [{ data }, totals] = await Promise.all([
      send("Page.printToPDF", {
        paperWidth: size.width,
        paperHeight: size.height,
        marginTop: size.margin.top,
        marginRight: size.margin.right,
        marginBottom: size.margin.bottom,
        marginLeft: size.margin.left,
        printBackground: order.background,
        preferCSSPageSize: true,
        generateTaggedPDF: order.tagged,
        generateDocumentOutline: order.outline,
        pageRanges: `1-${lastPage}`,
      }),
      reading,
      this.#untilReported(),
    ]);
    // Fonts are loaded when the document is printed.
    const brokenFonts = order.listsFonts ? await this.#evaluate<string[]>(READ_FONTS) : [];
    this.#printed++;
    const pdf = Buffer.from(data, "base64");
    return { pdf, pages: countPages(pdf), totals, blocked: [...this.#blocked], brokenFonts };
  }

  /** The document's own scripts stay off. */
  async #evaluate<T>(expression: string): Promise<T> {
    const { result } = await this.#session.send("Runtime.evaluate", {
      expression,
      returnByValue: true,
    });
    return result.value as T;
  }

  /** Waits until the page's process has reported every refusal so far: it answers in order. */
  async #untilReported(): Promise<void> {
    await this.#session.send("Log.disable", {});
  }

  /**
   * Opens a new document object in the page: a policy, a refresh or a default style sheet stays with the
   * object, not with its content. When the page has answered, all requests of the last document were
   * reported. The next print waits for it; the caller need not.
   */
  clean(): void {
    this.#clean = this.#session.send("Page.navigate", { url: "about:blank" })
      .then(() => this.#untilReported());
    this.#clean.catch(() => undefined);
  }

  #hear<E extends keyof CdpEvents>(event: E, params: CdpEvents[E]): void;
  #hear(event: keyof CdpEvents, params: CdpEvents[keyof CdpEvents]): void {
    if (event === "Inspector.targetCrashed") {
      this.#hasCrashed = true;
      return this.#crash.reject(new PageCrashError("the page crashed"));
    }
    if ("issue" in params) {
      return this.#refused(params.issue.details.contentSecurityPolicyIssueDetails?.blockedURL);
    }
    if (!("requestId" in params)) return;
    // A second defence: the policy stops all requests earlier.
    const { requestId, request } = params;
    this.#refused(request.url);
    this.#session.send("Fetch.failRequest", { requestId, errorReason: "BlockedByClient" })
      .catch(() => undefined);
  }

  #refused(url: string | undefined): void {
    if (url && this.#blocked.size < MAX_BLOCKED) this.#blocked.add(url.slice(0, 500));
  }
}
