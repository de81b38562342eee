import type { Readable, Writable } from "node:stream";

interface CommandShapes {
  "Audits.enable": object;
  "Browser.close": object;
  "Browser.getVersion": object;
  "Browser.setDownloadBehavior": { behavior: "deny"; browserContextId: string };
  "Emulation.setScriptExecutionDisabled": { value: boolean };
  "Fetch.enable": { patterns: { urlPattern: string }[] };
  "Fetch.failRequest": { requestId: string; errorReason: "BlockedByClient" };
  "Inspector.enable": object;
  "Log.disable": object;
  "Page.getFrameTree": object;
  "Page.navigate": { url: string };
  "Page.printToPDF": {
    paperWidth: number;
    paperHeight: number;
    marginTop: number;
    marginRight: number;
    marginBottom: number;
    marginLeft: number;
    printBackground: boolean;
    preferCSSPageSize: boolean;
    generateTaggedPDF: boolean;
    generateDocumentOutline: boolean;
    pageRanges: string;
  };
  "Page.setDocumentContent": { frameId: string; html: string };
  "Page.setFontFamilies": { fontFamilies: object; forScripts: object[] };
  "Runtime.evaluate": { expression: string; returnByValue: true };
  "Target.attachToTarget": { targetId: string; flatten: true };
  "Target.createBrowserContext": object;
  "Target.createTarget": { url: string; browserContextId: string; width: number; height: number };
  "Target.disposeBrowserContext": { browserContextId: string };
}

interface ResultShapes {
  "Page.getFrameTree": { frameTree: { frame: { id: string } } };
  "Page.printToPDF": { data: string };
  "Runtime.evaluate": { result: { value?: unknown } };
  "Target.attachToTarget": { sessionId: string };
  "Target.createBrowserContext": { browserContextId: string };
  "Target.createTarget": { targetId: string };
}

/** A command that the printer sends to the browser. */
export type CdpCommand = keyof CommandShapes;

/** The result of a command. */
export type CdpResult<C extends CdpCommand> = C extends keyof ResultShapes ? ResultShapes[C]
  : unknown;

/** The browser's events that the printer listens to. */
export interface CdpEvents {
  "Audits.issueAdded": {
    issue: { details: { contentSecurityPolicyIssueDetails?: { blockedURL?: string } } };
  };
  "Fetch.requestPaused": { requestId: string; request: { url: string } };
  "Inspector.targetCrashed": object;
}

/** A command to the browser failed. */
export class CdpError extends Error {
  override readonly name = "CdpError";
  /** Whether the browser answered with an error. Otherwise it, or its page, is gone. */
  readonly isRefusal: boolean;

  constructor(command: CdpCommand, reason: string, isRefusal: boolean) {
    super(`Cannot carry out "${command}": ${reason}`);
    this.isRefusal = isRefusal;
  }
}

type Listener = (method: string, params: unknown) => void;

interface Waiting {
  method: CdpCommand;
  sessionId: string | undefined;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

interface Message {
  id?: number;
  sessionId?: string;
  method?: string;
  params?: { sessionId?: string };
  result?: unknown;
  error?: { message: string };
}

/** A session with one page of the browser. */
export interface CdpSession {
  /** @throws {CdpError} If the browser refuses, or if it or the page is gone. */
  send<C extends CdpCommand>(command: C, params: CommandShapes[C]): Promise<CdpResult<C>>;
}

/**
 * The Chrome DevTools Protocol over the two pipes of `--remote-debugging-pipe`: each message is JSON with a
 * zero byte behind it. The pipes have no name, so no other process can control the browser.
 */
export class CdpConnection implements CdpSession {
  readonly #input: Writable;
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners = new Map<string, Listener>();
  readonly #closed = Promise.withResolvers<void>();
  #parts: Buffer[] = [];
  #lastId = 0;
  #isClosed = false;

  /** @param input The browser reads from it. @param output The browser writes to it */
  constructor(input: Writable, output: Readable) {
    this.#input = input;
    output.on("data", (bytes: Buffer) => this.#read(bytes));
    for (const stream of [input, output]) {
      stream.on("error", () => this.close()).on("close", () => this.close());
    }
  }

  /** Resolves when the browser has closed the pipe. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  /** Sends a command to the browser itself. */
  send<C extends CdpCommand>(command: C, params: CommandShapes[C]): Promise<CdpResult<C>> {
    return this.#send(command, params, undefined);
  }

  /** Returns a session that was attached, and delivers its events. */
  session(
    sessionId: string,
    listener: <E extends keyof CdpEvents>(event: E, params: CdpEvents[E]) => void,
  ): CdpSession {
    this.#listeners.set(sessionId, listener as Listener);
    return { send: (command, params) => this.#send(command, params, sessionId) };
  }

  /** Ends every wait. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const id of this.#waiting.keys()) this.#fail(id, "the browser has exited");
    this.#listeners.clear();
    this.#closed.resolve();
  }

  #send<C extends CdpCommand>(
    method: C,
    params: CommandShapes[C],
    sessionId: string | undefined,
  ): Promise<CdpResult<C>> {
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting.set(id, { method, sessionId, resolve, reject });
    if (this.#isClosed) this.#fail(id, "the browser has exited");
    else this.#input.write(`${JSON.stringify({ id, sessionId, method, params })}\0`);
    return promise as Promise<CdpResult<C>>;
  }

  #read(bytes: Buffer): void {
    let rest = bytes;
    for (let end = rest.indexOf(0); end !== -1; end = rest.indexOf(0)) {
      this.#parts.push(rest.subarray(0, end));
      const whole = this.#parts.length === 1 ? this.#parts[0] : Buffer.concat(this.#parts);
      this.#parts = [];
      rest = rest.subarray(end + 1);
      this.#take(JSON.parse(String(whole)) as Message);
    }
    if (rest.length > 0) this.#parts.push(rest);
  }

  #take({ id, sessionId, method, params, result, error }: Message): void {
    if (id !== undefined) {
      // "Target crashed" and "Internal error" speak of a page whose process has ended.
      if (error) return this.#fail(id, error.message, !/^(Target|Internal)/.test(error.message));
      this.#waiting.get(id)?.resolve(result);
      this.#waiting.delete(id);
    } else if (method === "Target.detachedFromTarget") this.#detach(params?.sessionId ?? "");
    else if (sessionId !== undefined) this.#listeners.get(sessionId)?.(method ?? "", params);
  }

  /** Its page was closed, so no answer will come. */
  #detach(gone: string): void {
    this.#listeners.delete(gone);
    for (const [id, { sessionId }] of this.#waiting) {
      if (sessionId === gone) this.#fail(id, "the page was closed");
    }
  }

  #fail(id: number, reason: string, isRefusal = false): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    waiting?.reject(new CdpError(waiting.method, reason, isRefusal));
  }
}
