import { EgressError } from "@posthaste/egress";
import { openSemaphore, type Permit } from "@posthaste/limits";
import { errorType, recordDuration } from "@posthaste/telemetry";
import { SmtpSession } from "./_smtp_session.ts";
import { parseReply, SmtpFailure } from "./smtp_failure.ts";
import type { SmtpIntegration } from "./smtp_integration.ts";
import type { SmtpReceipt, TransportPoolOptions } from "./transport_pool.ts";

/** The options of a pool with every default filled in. */
export type LineSettings = Required<TransportPoolOptions>;

/** A server that takes fewer connections than allowed is asked again for more after this time. */
const narrowMs = 60_000;

type Mail = Parameters<SmtpSession["send"]>[0];

/** The connections of one integration with one set of settings, and who waits for them. */
export class ConnectionLine {
  #integration: SmtpIntegration;
  #settings: LineSettings;
  /** Mails that have a connection, or open one. */
  #permits = openSemaphore({ max: 1 });
  /** Those in use and those that close keep a permit; those that are idle have none. */
  #sessions = new Map<SmtpSession, Permit | undefined>();
  #idle: { session: SmtpSession; timer: NodeJS.Timeout }[] = [];
  /** How many connections the server takes, as far as it has refused more, and until when. */
  #narrowed = { to: Infinity, until: 0 };
  #retired = false;
  #closing = new AbortController();
  #onDrained: () => void;
  #drained = Promise.withResolvers<void>();

  constructor(integration: SmtpIntegration, settings: LineSettings, onDrained: () => void) {
    this.#integration = integration;
    this.#settings = settings;
    this.#onDrained = onDrained;
  }

  get connections(): number {
    return this.#sessions.size;
  }

  /** Resolves when it holds nothing any more; afterwards it must not be used. */
  get drained(): Promise<void> {
    return this.#drained.promise;
  }

  async send(mail: Mail): Promise<SmtpReceipt> {
    for (;;) {
      const session = await this.#acquire(mail.signal);
      const start = performance.now();
      const reused = session.transactions > 0;
      try {
        const info = await session.send(mail);
        return {
          code: 250,
          ...parseReply(info.response),
          response: info.response,
          durationMs: performance.now() - start,
          ...(info.serverMessageId === undefined ? {} : { serverMessageId: info.serverMessageId }),
        };
      } catch (error) {
        // The server had ended a connection that was idle: nothing of this mail was taken.
        if (reused && isStale(error)) continue;
        throw error;
      } finally {
        this.#release(session);
      }
    }
  }

  /** Allows more connections or fewer; those in use end with their mail. */
  resize(most: number): void {
    const { to, until } = this.#narrowed;
    const max = performance.now() < until ? Math.min(most, to) : most;
    if (max === this.#permits.max) return;
    this.#permits.resize(max);
    this.#quitIdle(Math.max(0, this.#sessions.size - max));
  }

  retire(): void {
    this.#retired = true;
    this.#quitIdle(this.#idle.length);
    this.#checkDrained();
  }

  close(): void {
    this.#closing.abort();
    this.retire();
  }

  abort(): void {
    for (const session of this.#sessions.keys()) session.close();
  }

  async #acquire(signal: AbortSignal | undefined): Promise<SmtpSession> {
    for (;;) {
      const permit = this.#permits.tryAcquire() ?? await this.#wait(signal);
      const idle = this.#idle.pop();
      if (idle !== undefined) {
        clearTimeout(idle.timer);
        this.#sessions.set(idle.session, permit);
        return idle.session;
      }
      try {
        return await this.#open(permit, signal);
      } catch (error) {
        if (!this.#isOneTooMany(error)) throw error;
      }
    }
  }

  /** Whether the server refused a connection while it has others: then the mail can wait for those. */
  #isOneTooMany(error: unknown): boolean {
    const others = this.#sessions.size;
    if (!isBusy(error) || others === 0) return false;
    this.#narrowed = { to: others, until: performance.now() + narrowMs };
    this.#permits.resize(Math.min(this.#permits.max, others));
    return true;
  }

  async #wait(signal: AbortSignal | undefined): Promise<Permit> {
    const closing = this.#closing.signal;
    const ends = signal === undefined ? closing : AbortSignal.any([closing, signal]);
    try {
      return await this.#permits.acquire("", { signal: ends });
    } catch (cause) {
      throw signal?.aborted
        ? refuse(this.#integration, { fault: "aborted", reason: "it was interrupted", cause })
        : refuse(this.#integration, { fault: "closed", reason: "it is shutting down" });
    } finally {
      this.#checkDrained();
    }
  }

  async #open(permit: Permit, signal: AbortSignal | undefined): Promise<SmtpSession> {
    const address = await this.#resolve(permit);
    const session: SmtpSession = new SmtpSession(this.#integration, {
      address,
      settings: this.#settings,
      onClosed: () => this.#forget(session),
    });
    this.#sessions.set(session, permit);
    const started = performance.now();
    const tell = (failure?: unknown) =>
      recordDuration("posthaste.smtp.connect.duration", (performance.now() - started) / 1000, {
        ...(failure === undefined ? {} : { "error.type": errorType(failure) }),
      });
    try {
      await session.open(signal);
    } catch (error) {
      tell(error);
      throw error;
    }
    tell();
    return session;
  }

  async #resolve(permit: Permit): Promise<string> {
    const { host, port } = this.#integration;
    try {
      return await this.#settings.resolveHost({ host, port });
    } catch (cause) {
      permit[Symbol.dispose]();
      this.#checkDrained();
      const isForbidden = cause instanceof EgressError && cause.fault === "forbidden";
      throw isForbidden
        ? refuse(this.#integration, { fault: "host", reason: "it may not be reached", cause })
        : refuse(this.#integration, { fault: "dns", reason: "its name is not resolved", cause });
    }
  }

  #release(session: SmtpSession): void {
    if (session.closed) return;
    const isSurplus = this.#sessions.size > this.#permits.max;
    const isUnwanted = this.#retired && this.#permits.waiting === 0;
    if (isSurplus || isUnwanted || session.transactions >= this.#settings.maxMails) {
      return session.quit();
    }
    // The one that has been idle for the longest comes first.
    const timer = setTimeout(() => this.#quitIdle(1), this.#settings.idleMs).unref();
    this.#idle.push({ session, timer });
    const permit = this.#sessions.get(session);
    this.#sessions.set(session, undefined);
    // Whoever waits takes the session.
    permit?.[Symbol.dispose]();
  }

  /** Ends those that have been idle for the longest. */
  #quitIdle(count: number): void {
    for (const { session, timer } of this.#idle.splice(0, count)) {
      clearTimeout(timer);
      // It counts until it has closed.
      this.#sessions.set(session, this.#permits.tryAcquire());
      session.quit();
    }
  }

  #forget(session: SmtpSession): void {
    const permit = this.#sessions.get(session);
    this.#sessions.delete(session);
    const index = this.#idle.findIndex((entry) => entry.session === session);
    if (index !== -1) clearTimeout(this.#idle.splice(index, 1)[0]?.timer);
    // Later: whoever had this session may learn from it that there is room for fewer.
    setImmediate(() => {
      permit?.[Symbol.dispose]();
      this.#checkDrained();
    });
  }

  #checkDrained(): void {
    if (this.#sessions.size + this.#permits.held + this.#permits.waiting > 0) return;
    this.#onDrained();
    this.#drained.resolve();
  }
}

function isStale(error: unknown): boolean {
  return error instanceof SmtpFailure && error.phase === "mail" &&
    (error.fault === "lost" || error.code === 421);
}

/** 4xx before there is a session: too many connections, or no service at all. */
function isBusy(error: unknown): boolean {
  return error instanceof SmtpFailure && error.code !== undefined && error.code < 500 &&
    ["greeting", "ehlo", "tls", "auth"].includes(error.phase);
}

/** A failure before anything was said to the server. */
export function refuse(
  integration: SmtpIntegration,
  details: { fault: SmtpFailure["fault"]; reason: string; cause?: unknown },
): SmtpFailure {
  const { fault, reason, cause } = details;
  const phase = fault === "insecure_auth" ? "auth" : "connect";
  return new SmtpFailure(`Cannot send through "${integration.host}": ${reason}`, {
    phase,
    fault,
    cause,
  });
}
