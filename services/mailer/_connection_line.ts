import type { SmtpReply } from "@posthaste/contracts";
import { EgressError } from "@posthaste/egress";
import { failpoint, openTimeLimit } from "@posthaste/runtime";
import {
  type BrokenPipelining,
  SmtpConnection,
  SmtpError,
  type SmtpMail,
  type SmtpPhase,
} from "@posthaste/smtp";
import { errorType, recordDuration } from "@posthaste/telemetry";
import { isRefusedToken } from "./oauth/refused_token.ts";
import type { AccessToken } from "./oauth/token_source.ts";
import { failureOf, SmtpFailure, tokenFailureOf } from "./smtp_failure.ts";
import { isByToken, serverOf, type SmtpIntegration } from "./smtp_integration.ts";
import type { TransportPoolOptions } from "./transport_pool_options.ts";
import { UntriedError } from "./untried_error.ts";

/** The options of a pool with every default filled in. */
export type LineSettings = Required<TransportPoolOptions>;

/** State of a server that offers PIPELINING. */
export interface PipeliningMemory {
  broken(): BrokenPipelining | undefined;
  learn(broken: BrokenPipelining): void;
}

/** Time after which a server that refused connections is tried with more again. */
const NARROW_MS = 60_000;

/**
 * By its greeting: this server fails at a mail behind a dot, and leaves the outcome of the mail before it
 * unknown.
 */
const FALLS_BEHIND_DOT = /\bDovecot\b/;

/** Why mail is turned away by a pool that closes. */
export const CLOSED = "the pool of connections is closing";

const LATE = "no connection has become free";

/** Phases in which a server has accepted nothing of a mail, and its attempt has no register yet. */
const BEFORE_DATA: ReadonlySet<SmtpPhase> = new Set([
  ...["connect", "greeting", "tls", "ehlo", "auth", "mail", "rcpt"] as const,
]);

/** Time of a server's reply to a dot above which no other mail is sent behind it. */
const QUICK_MS = 1000;

/** A mail that waits for a connection, and the callback for its end. */
interface Waiting {
  readonly mail: SmtpMail;
  readonly reply: PromiseWithResolvers<SmtpReply>;
  /** Called when it waits no longer. */
  leave: () => void;
}

/** The connections of one integration with one set of settings, and the mails that wait for them. */
export class ConnectionLine {
  #integration: SmtpIntegration;
  #settings: LineSettings;
  #memory: PipeliningMemory;
  /**
   * Whether the server answered mails behind dots. Until then one connection tries it, because the outcome of
   * that mail might become unknown.
   */
  #goesAhead: "untried" | SmtpConnection | "works" = "untried";
  #max = 1;
  #queue: Waiting[] = [];
  #sessions = new Set<SmtpConnection>();
  /** Connections whose host is looked up. */
  #resolving = 0;
  #idle: { session: SmtpConnection; timer: NodeJS.Timeout }[] = [];
  /** Number of connections that the server accepts, since it refused more, and until when that holds. */
  #narrowed = { to: Infinity, until: 0 };
  /** Time of the server's last reply to a dot, in milliseconds. */
  #lastReplyMs = Infinity;
  #retired = false;
  #isClosing = false;
  #isInterrupted = false;
  #onDrained: () => void;
  #drained = Promise.withResolvers<void>();

  constructor(
    integration: SmtpIntegration,
    settings: LineSettings,
    { memory, onDrained }: { memory: PipeliningMemory; onDrained: () => void },
  ) {
    this.#integration = integration;
    this.#settings = settings;
    this.#memory = memory;
    this.#onDrained = onDrained;
  }

  get connections(): number {
    return this.#sessions.size;
  }

  /** Resolves when everything is closed. It must not be used afterwards. */
  get drained(): Promise<void> {
    return this.#drained.promise;
  }

  /** @throws {SmtpFailure | UntriedError} */
  send(mail: SmtpMail): Promise<SmtpReply> {
    const waiting: Waiting = { mail, reply: Promise.withResolvers(), leave: () => {} };
    this.#queue.push(waiting);
    this.#wait(waiting);
    this.#dispatch();
    return waiting.reply.promise;
  }

  /** Rejects a mail that waits too long. */
  #wait(waiting: Waiting): void {
    const limit = openTimeLimit(this.#settings.waitMs, () => {
      this.#queue.splice(this.#queue.indexOf(waiting), 1);
      this.#turnAway(waiting, LATE);
      this.#checkDrained();
    });
    waiting.leave = () => limit[Symbol.dispose]();
  }

  /** Allows more connections or fewer; those in use end with their mail. */
  resize(most: number): void {
    const { to, until } = this.#narrowed;
    const max = performance.now() < until ? Math.min(most, to) : most;
    if (max === this.#max) return;
    this.#max = max;
    this.#quitIdle(Math.max(0, this.#sessions.size - this.#max));
    this.#dispatch();
  }

  retire(): void {
    this.#retired = true;
    this.#quitIdle(this.#idle.length);
    this.#checkDrained();
  }

  close(): void {
    this.#isClosing = true;
    for (const waiting of this.#queue.splice(0)) this.#turnAway(waiting, CLOSED);
    this.retire();
  }

  /** Ends what is on its way, after `close()`. */
  interrupt(): void {
    this.#isInterrupted = true;
    for (const session of this.#sessions) session.interrupt();
  }

  /** Assigns free capacity to the waiting mails: an idle connection, a new one, or a place behind a dot. */
  #dispatch(): void {
    while (this.#queue.length > 0) {
      const idle = this.#idle.pop();
      if (idle !== undefined) {
        clearTimeout(idle.timer);
        this.#carry(idle.session, this.#nextWaiting());
      } else if (this.#sessions.size + this.#resolving < this.#max) {
        this.#open(this.#nextWaiting());
      } else {
        const busy = this.#sessions.values().find((session) => this.#mayGoAhead(session, false));
        if (busy === undefined) return;
        this.#carry(busy, this.#nextWaiting());
      }
    }
  }

  #nextWaiting(): Waiting {
    const waiting = this.#queue.shift() as Waiting;
    waiting.leave();
    return waiting;
  }

  /**
   * Returns whether a mail may follow the dot of another one: not if it would wait for a slow server.
   *
   * @param isWithDot Whether it would leave with the dot. Later, the server may have answered: that tries nothing.
   */
  #mayGoAhead(session: SmtpConnection, isWithDot: boolean): boolean {
    const mayTry = this.#goesAhead === "works" || (isWithDot && this.#goesAhead === "untried");
    return session.takesNext && mayTry && this.#lastReplyMs < QUICK_MS &&
      this.#memory.broken() === undefined && !FALLS_BEHIND_DOT.test(greetingOf(session)) &&
      session.transactions < this.#settings.maxMails && this.#sessions.size <= this.#max;
  }

  async #carry(session: SmtpConnection, waiting: Waiting): Promise<void> {
    const isReused = session.transactions > 0;
    const isAhead = session.state !== "idle";
    if (isAhead && this.#goesAhead === "untried") this.#goesAhead = session;
    const start = performance.now();
    let dotAt = Infinity;
    failpoint("mailer.before_data");
    const { mail } = waiting;
    const { beforeDot } = mail;
    try {
      const { code, enhanced, text: response } = await session.send({
        ...mail,
        ...(beforeDot === undefined ? {} : {
          beforeDot: () => {
            failpoint("mailer.mid_body");
            return beforeDot();
          },
        }),
        onDot: () => {
          dotAt = performance.now();
          failpoint("mailer.after_dot");
        },
      });
      failpoint("mailer.after_reply");
      if (isAhead) this.#goesAhead = "works";
      const now = performance.now();
      this.#lastReplyMs = now - dotAt;
      recordDuration("posthaste.smtp.duration", (now - start) / 1000);
      waiting.reply.resolve({ code, response, ...(enhanced === undefined ? {} : { enhanced }) });
    } catch (error) {
      if (session.broke !== undefined) this.#memory.learn(session.broke);
      if (isReused && isStale(error)) {
        // It waited for the reply to another mail.
        if (isAhead && !session.isClosed) this.#lastReplyMs = Infinity;
        this.#again(waiting);
      } else this.#reject(waiting, error);
    } finally {
      if (isAhead && this.#goesAhead === session) this.#goesAhead = "untried";
      this.#release(session);
    }
  }

  /** The server accepted nothing of it: it gets the next connection, if there is to be one. */
  #again(waiting: Waiting): void {
    if (this.#isClosing) return this.#turnAway(waiting, CLOSED);
    this.#queue.unshift(waiting);
    this.#wait(waiting);
    this.#dispatch();
  }

  #reject(waiting: Waiting, error: unknown): void {
    const isUntried = this.#isInterrupted && error instanceof SmtpError &&
      error.fault === "aborted" && BEFORE_DATA.has(error.phase);
    if (isUntried) this.#again(waiting);
    else waiting.reply.reject(this.#failureOf(error));
  }

  #turnAway({ reply, leave }: Waiting, reason: string): void {
    leave();
    reply.reject(new UntriedError(this.#integration.host, reason));
  }

  /** @param refused The access token that the server refused a moment ago. */
  async #open(waiting: Waiting, refused?: RefusedToken): Promise<void> {
    this.#resolving++;
    let session: SmtpConnection;
    let token: AccessToken | undefined;
    try {
      const address = await this.#resolve();
      token = await this.#tokenAfter(refused);
      session = this.#connectionTo(address, token);
    } catch (error) {
      waiting.reply.reject(error);
      return this.#later();
    } finally {
      this.#resolving--;
    }
    if (this.#isInterrupted) {
      this.#again(waiting);
      return this.#later();
    }
    this.#sessions.add(session);
    try {
      await timed(() => session.open(), (error) => this.#failureOf(error));
    } catch (error) {
      if (this.#isOneTooMany(error)) return this.#again(waiting);
      if (token !== undefined && refused === undefined && isRefusedToken(error)) {
        return await this.#open(waiting, { token, error });
      }
      return this.#reject(waiting, error);
    }
    await this.#carry(session, waiting);
  }

  /** Returns the access token for a new connection; `undefined` if the login is by password. */
  async #tokenAfter(refused: RefusedToken | undefined): Promise<AccessToken | undefined> {
    const { auth } = this.#integration;
    if (!isByToken(auth)) return undefined;
    let token: AccessToken | undefined;
    try {
      token = refused === undefined
        ? await auth.tokens.get()
        : await auth.tokens.replace(refused.token.id);
    } catch (error) {
      throw tokenFailureOf(error, this.#integration);
    }
    // A new token would not help.
    if (refused !== undefined && token === undefined) throw this.#failureOf(refused.error);
    return token;
  }

  #connectionTo(address: string, token: AccessToken | undefined): SmtpConnection {
    const { ehloName, connectTimeoutMs, stallMs, replyMs, transferMs } = this.#settings;
    const session: SmtpConnection = new SmtpConnection(
      serverOf(this.#integration, address, token?.token),
      {
        ehloName,
        pipelining: this.#memory.broken() !== "flight",
        timeouts: {
          ...{ connectMs: connectTimeoutMs, greetingMs: connectTimeoutMs },
          ...{ commandMs: stallMs, dataMs: stallMs, bodyMs: stallMs, replyMs, transferMs },
        },
        onDot: () => {
          if (this.#queue.length > 0 && this.#mayGoAhead(session, true)) {
            this.#carry(session, this.#nextWaiting());
          }
        },
        onClosed: () => this.#forget(session),
      },
    );
    return session;
  }

  /** Returns whether the server refused a connection while it has others: then the mail can wait for those. */
  #isOneTooMany(error: unknown): boolean {
    const others = this.#sessions.size;
    if (!isBusy(error) || others === 0) return false;
    this.#narrowed = { to: others, until: performance.now() + NARROW_MS };
    this.#max = Math.min(this.#max, others);
    return true;
  }

  async #resolve(): Promise<string> {
    const { host, port, key, owner = key } = this.#integration;
    try {
      return await this.#settings.resolveHost({ host, port, owner });
    } catch (cause) {
      const isForbidden = cause instanceof EgressError && cause.fault === "forbidden";
      throw isForbidden
        ? refuse(this.#integration, { fault: "host", reason: "it is not allowed", cause })
        : refuse(this.#integration, { fault: "dns", reason: "its name does not resolve", cause });
    }
  }

  #failureOf(error: unknown): unknown {
    if (!(error instanceof SmtpError)) return error;
    if (error.phase === "dot" && error.reply !== undefined) failpoint("mailer.after_reply");
    return failureOf(error, this.#integration);
  }

  /** A mail on it has ended: the connection takes another one, or closes. */
  #release(session: SmtpConnection): void {
    // Closed, or busy with the mail behind this one, or both have ended.
    if (session.state !== "idle" || this.#idle.some((idle) => idle.session === session)) return;
    const isSurplus = this.#sessions.size > this.#max;
    const isUnwanted = this.#retired && this.#queue.length === 0;
    if (isSurplus || isUnwanted || session.transactions >= this.#settings.maxMails) {
      return session.quit();
    }
    // The connection that was idle longest comes first.
    const timer = setTimeout(() => this.#quitIdle(1), this.#settings.idleMs).unref();
    this.#idle.push({ session, timer });
    this.#dispatch();
  }

  /** Closes the connections that were idle longest. Each counts until it has closed. */
  #quitIdle(count: number): void {
    for (const { session, timer } of this.#idle.splice(0, count)) {
      clearTimeout(timer);
      session.quit();
    }
  }

  #forget(session: SmtpConnection): void {
    this.#sessions.delete(session);
    const index = this.#idle.findIndex((entry) => entry.session === session);
    if (index !== -1) clearTimeout(this.#idle.splice(index, 1)[0]?.timer);
    this.#later();
  }

  /** In a later turn: a mail whose connection was refused may first show that fewer connections are possible. */
  #later(): void {
    setImmediate(() => {
      this.#dispatch();
      this.#checkDrained();
    });
  }

  #checkDrained(): void {
    if (this.#sessions.size + this.#resolving + this.#queue.length > 0) return;
    this.#onDrained();
    this.#drained.resolve();
  }
}

function greetingOf({ opening }: SmtpConnection): string {
  return opening.greeting?.text ?? "";
}

async function timed(
  open: () => Promise<void>,
  failureOf: (error: unknown) => unknown,
): Promise<void> {
  const started = performance.now();
  const tell = (failure?: unknown) =>
    recordDuration("posthaste.smtp.connect.duration", (performance.now() - started) / 1000, {
      ...(failure === undefined ? {} : { "error.type": errorType(failure) }),
    });
  try {
    await open();
  } catch (error) {
    tell(failureOf(error));
    throw error;
  }
  tell();
}

/** The server had closed an idle connection, or one behind another mail: it took nothing of this mail. */
function isStale(error: unknown): boolean {
  return error instanceof SmtpError && error.phase === "mail" &&
    (error.fault === "lost" || error.reply?.code === 421);
}

/** An access token that the server refused. */
interface RefusedToken {
  readonly token: AccessToken;
  readonly error: unknown;
}

/** 4xx before there is a session: too many connections, or no service at all. */
function isBusy(error: unknown): boolean {
  return error instanceof SmtpError && error.reply !== undefined && error.reply.code < 500 &&
    ["greeting", "ehlo", "tls", "auth"].includes(error.phase);
}

/** Why no command may be sent to a server for a mail. */
interface Refusal {
  fault: SmtpFailure["fault"];
  reason: string;
  cause?: unknown;
}

/** Returns the failure of a mail for which no command may be sent to its server. */
export function refuse(integration: SmtpIntegration, details: Refusal): SmtpFailure {
  const { fault, reason, cause } = details;
  const phase = fault === "insecure_auth" ? "auth" : "connect";
  return new SmtpFailure(`Cannot send through "${integration.host}": ${reason}`, {
    phase,
    fault,
    cause,
  });
}
