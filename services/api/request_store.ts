import type { PdfRef, Send, TemplateKind } from "@posthaste/contracts";
import { HttpError } from "./http_error.ts";
import type { Permit } from "@posthaste/limits";
import { openTimeLimit } from "@posthaste/runtime";
import { errorType, type Logger } from "@posthaste/telemetry";
import type { Acceptance, NeededAsset, NumberedPage, Placed, StorePart } from "@posthaste/storage";
import type { CachedReads } from "./cached_reads.ts";
import type { Capacity } from "./capacity.ts";
import { RETRY_AFTER_SECONDS } from "./retry_after.ts";

/** The operations that a {@linkcode RequestStore} performs. */
export type StoreOperations =
  & CachedReads
  & StorePart<
    | "accounts.find"
    | `assets.${"find" | "findName" | "findShown" | "keep"}`
    | `integrations.${"find" | "findSummary" | "listSummaries"}`
    | `messages.${"findPlaces" | "findWithHead" | "list"}`
    | `sends.${"accept" | "find" | "findByIdempotencyKey"}`
    | `templates.${"findPublished" | "listPublished"}`
  >;

/** What the stores of all requests share. */
export interface RequestStoreDeps {
  store: StoreOperations;
  capacity: Capacity;
  /** Longest total time that one request waits for the ledger, in milliseconds. */
  timeoutMs: number;
  /** Called with an acceptance that failed, or that the request did not wait for. */
  onUnanswered(accepting: Promise<Acceptance>, what: { send: Send; bytes: number }): void;
  logger: Pick<Logger, "error">;
}

/**
 * The store of one request. All its operations together are answered within a bounded time, or
 * fail as `unavailable`: a database that is gone or hangs leads to an early error, and never to
 * success. A late operation counts as in progress until it ends.
 */
export class RequestStore {
  readonly #deps: RequestStoreDeps;
  /** All the time that it may wait. */
  #limitMs: number;
  #leftMs: number;
  #waits = 0;
  #waitsSince = 0;
  #bytes = 0;
  #body: Permit | undefined;
  /** The holders of the request's bytes: the request itself, and each operation in progress. */
  #holders = 1;
  #isOver = false;
  #isLogged = false;

  constructor(deps: RequestStoreDeps) {
    this.#deps = deps;
    this.#limitMs = deps.timeoutMs;
    this.#leftMs = deps.timeoutMs;
  }

  get #store(): StoreOperations {
    return this.#deps.store;
  }

  /** Size of the request's body. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Counts a part of the request's body as it arrives, until the request and all its operations are
   * over.
   *
   * @throws {HttpError} `unavailable` if too much is in progress, `too_many_requests` if too much
   * of it is the account's.
   */
  takeBody(bytes: number, accountId: string): void {
    this.#body ??= this.#deps.capacity.bodies.tryAcquire(accountId, 0);
    const full = this.#body?.grow(bytes);
    if (full === "all") throw this.#refuse("read the request", tooMuch());
    if (full === "owner") throw tooMuchOfAccount();
    this.#bytes += bytes;
  }

  /** Counts the body until some other work on it is settled too; returns that work. */
  keepBody<T>(work: Promise<T>): Promise<T> {
    this.#holders++;
    const release = () => this.#release();
    work.then(release, release);
    return work;
  }

  /** Extends the time that the request may wait: a search has a limit of its own. */
  allow(ms: number): void {
    this.#limitMs += ms;
    this.#leftMs += ms;
  }

  /** Marks the request as over. */
  leave(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#release();
  }

  /**
   * Waits for an operation of the store, within the request's remaining time.
   *
   * @param action What it is for: `look up the token`.
   * @throws {HttpError} `unavailable` if it fails or is late, or if too much is in progress.
   */
  async wait<T>(action: string, begin: () => Promise<T>): Promise<T> {
    const { capacity } = this.#deps;
    const permit = capacity.operations.tryAcquire();
    if (permit === undefined) throw this.#refuse(action, tooMuch());
    if (this.#waits++ === 0) this.#waitsSince = performance.now();
    const leftMs = this.#leftMs - (performance.now() - this.#waitsSince);
    const { promise: end, reject } = Promise.withResolvers<never>();
    const limit = `${this.#limitMs} ms`;
    const late = () => reject(new DOMException(`no answer within ${limit}`, "TimeoutError"));
    using _limit = openTimeLimit(leftMs, late);
    try {
      return await Promise.race([this.keepBody(under(permit, begin)), end]);
    } catch (cause) {
      throw this.#refuse(action, cause);
    } finally {
      if (--this.#waits === 0) this.#leftMs -= performance.now() - this.#waitsSince;
    }
  }

  latestEmailVersion(accountId: string, idOrAlias: string) {
    return this.wait(
      "look up the template",
      () => this.#store.versions.latestEmailVersion(accountId, idOrAlias),
    );
  }

  latestPdfVersion(accountId: string, ref: PdfRef) {
    return this.wait(
      "look up the PDF template",
      () => this.#store.versions.latestPdfVersion(accountId, ref),
    );
  }

  findAsset(accountId: string, sha256: string) {
    return this.wait("read the file", () => this.#store.assets.find(accountId, sha256));
  }

  findAssetName(accountId: string, name: string) {
    return this.wait("look up the file", () => this.#store.assets.findName(accountId, name));
  }

  keepAssets(accountId: string, needed: readonly NeededAsset[], now: Date) {
    return this.wait("store the files", () => this.#store.assets.keep(accountId, needed, now));
  }

  findShownAsset(sha256: string) {
    return this.wait("load the image", () => this.#store.assets.findShown(sha256));
  }

  emailVersion(accountId: string, id: number, version: number) {
    return this.wait(
      "look up the template",
      () => this.#store.versions.emailVersion(accountId, id, version),
    );
  }

  pdfVersion(accountId: string, id: number, version: number) {
    return this.wait(
      "look up the PDF template",
      () => this.#store.versions.pdfVersion(accountId, id, version),
    );
  }

  findAccount(accountId: string) {
    return this.wait("look up the account", () => this.#store.accounts.find(accountId));
  }

  accountLocale(accountId: string) {
    return this.wait("look up the account", () => this.#store.accountLocale(accountId));
  }

  listPublishedTemplates(accountId: string, kind: TemplateKind, page: NumberedPage) {
    return this.wait(
      "list the templates",
      () => this.#store.templates.listPublished(accountId, kind, page),
    );
  }

  findPublishedTemplate(accountId: string, kind: TemplateKind, idOrAlias: string | number) {
    return this.wait(
      "look up the template",
      () => this.#store.templates.findPublished(accountId, kind, idOrAlias),
    );
  }

  listIntegrationSummaries(accountId: string, page: NumberedPage, now: Date) {
    return this.wait(
      "list the integrations",
      () => this.#store.integrations.listSummaries(accountId, page, now),
    );
  }

  findIntegrationSummary(accountId: string, id: number, now: Date) {
    return this.wait(
      "look up the integration",
      () => this.#store.integrations.findSummary(accountId, id, now),
    );
  }

  findIntegration(accountId: string, id: number) {
    return this.wait("look up the integration", () => this.#store.integrations.find(accountId, id));
  }

  findSendByIdempotencyKey(accountId: string, key: string) {
    return this.wait(
      "look up the idempotency key",
      () => this.#store.sends.findByIdempotencyKey(accountId, key),
    );
  }

  async acceptSend(send: Send): Promise<Acceptance> {
    let accepting: Promise<Acceptance> | undefined;
    try {
      return await this.wait("accept the send", () => accepting = this.#store.sends.accept(send));
    } catch (error) {
      if (accepting !== undefined) this.#deps.onUnanswered(accepting, { send, bytes: this.#bytes });
      throw error;
    }
  }

  findSend(accountId: string, id: string) {
    return this.wait("look up the send", () => this.#store.sends.find(accountId, id));
  }

  findMessage(accountId: string, id: string) {
    return this.wait(
      "look up the message",
      () => this.#store.messages.findWithHead(accountId, id),
    );
  }

  findPlaces(accountId: string, placed: readonly Placed[]) {
    return this.wait("look up the place", () => this.#store.messages.findPlaces(accountId, placed));
  }

  listMessages(accountId: string, sendId: string) {
    return this.wait("look up the messages", () => this.#store.messages.list(accountId, sendId));
  }

  #release(): void {
    if (--this.#holders === 0) this.#body?.[Symbol.dispose]();
  }

  #refuse(action: string, cause: unknown): HttpError {
    if (!this.#isLogged) {
      this.#isLogged = true;
      this.#deps.logger.error(`Cannot ${action}: ${faultOf(cause)}`, { error: cause });
    }
    return new HttpError("unavailable", `Cannot ${action}: try again soon`, {
      cause,
      retryAfter: RETRY_AFTER_SECONDS,
    });
  }
}

/** Does work under a permit, and returns the permit when the work is settled. */
async function under<T>(permit: Permit, work: () => Promise<T>): Promise<T> {
  using _ = permit;
  return await work();
}

function tooMuchOfAccount(): HttpError {
  const reason = "too many bytes of the account's other requests are in progress";
  return new HttpError("too_many_requests", `Cannot read the request: ${reason}`, {
    retryAfter: 1,
  });
}

function tooMuch(): Error {
  return new TooMuchError("the server is busy");
}

/** This process does as much as it may. */
class TooMuchError extends Error {}

/** Returns what the log says of a failure. */
function faultOf(cause: unknown): string {
  if (cause instanceof TooMuchError) return "too much is in progress";
  switch (errorType(cause)) {
    case "timeout":
      return "the ledger did not answer in time";
    case "unavailable":
      return "the ledger cannot be reached";
    default:
      return "the ledger failed";
  }
}
