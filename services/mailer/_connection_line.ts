import { EgressError } from "@posthaste/egress";
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
  #sessions = new Set<SmtpSession>();
  #idle: { session: SmtpSession; timer: NodeJS.Timeout }[] = [];
  #waiting: PromiseWithResolvers<SmtpSession | undefined>[] = [];
  #opening = 0;
  /** How many connections the server takes, as far as it has refused more, and until when. */
  #narrowed = { to: Infinity, until: 0 };
  #retired = false;
  #onDrained: () => void;
  #drained = Promise.withResolvers<void>();

  /** How many connections there may be. */
  #most: number;

  constructor(integration: SmtpIntegration, settings: LineSettings, onDrained: () => void) {
    this.#integration = integration;
    this.#most = integration.maxConnections ?? 5;
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
    if (most === this.#most) return;
    this.#most = most;
    const surplus = Math.max(0, this.#sessions.size - most);
    for (const { session, timer } of this.#idle.splice(0, surplus)) {
      clearTimeout(timer);
      session.quit();
    }
    this.#wakeNext();
  }

  retire(): void {
    this.#retired = true;
    for (const { session, timer } of this.#idle.splice(0)) {
      clearTimeout(timer);
      session.quit();
    }
    this.#checkDrained();
  }

  close(): void {
    for (const waiter of this.#waiting.splice(0)) {
      waiter.reject(refuse(this.#integration, { fault: "closed", reason: "it is shutting down" }));
    }
    this.retire();
  }

  abort(): void {
    for (const session of this.#sessions) session.close();
  }

  async #acquire(signal: AbortSignal | undefined): Promise<SmtpSession> {
    for (;;) {
      const idle = this.#idle.pop();
      if (idle !== undefined) {
        clearTimeout(idle.timer);
        return idle.session;
      }
      if (this.#hasRoom()) this.#opening++;
      else {
        const session = await this.#wait(signal);
        if (session !== undefined) return session;
      }
      try {
        return await this.#open(signal);
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
    return true;
  }

  /** Waits for a free connection, or for the right to open one, which is then reserved. */
  async #wait(signal: AbortSignal | undefined): Promise<SmtpSession | undefined> {
    const waiter = Promise.withResolvers<SmtpSession | undefined>();
    const abort = () => {
      const index = this.#waiting.indexOf(waiter);
      if (index === -1) return;
      this.#waiting.splice(index, 1);
      waiter.reject(this.#interrupted(signal));
    };
    if (signal?.aborted) throw this.#interrupted(signal);
    signal?.addEventListener("abort", abort, { once: true });
    this.#waiting.push(waiter);
    try {
      return await waiter.promise;
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  async #open(signal: AbortSignal | undefined): Promise<SmtpSession> {
    const address = await this.#resolve();
    // From here on the session itself takes the place that was reserved.
    this.#opening--;
    const session: SmtpSession = new SmtpSession(this.#integration, {
      address,
      settings: this.#settings,
      onClosed: () => this.#forget(session),
    });
    this.#sessions.add(session);
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

  async #resolve(): Promise<string> {
    const { host, port } = this.#integration;
    try {
      return await this.#settings.resolveHost({ host, port });
    } catch (cause) {
      this.#opening--;
      this.#wakeNext();
      this.#checkDrained();
      const isForbidden = cause instanceof EgressError && cause.fault === "forbidden";
      throw isForbidden
        ? refuse(this.#integration, { fault: "host", reason: "it may not be reached", cause })
        : refuse(this.#integration, { fault: "dns", reason: "its name is not resolved", cause });
    }
  }

  #release(session: SmtpSession): void {
    if (session.closed) return;
    const isSurplus = this.#sessions.size > this.#most;
    if (isSurplus || session.transactions >= this.#settings.maxMails) return session.quit();
    const waiter = this.#waiting.shift();
    if (waiter !== undefined) return waiter.resolve(session);
    if (this.#retired) return session.quit();
    const timer = setTimeout(() => {
      this.#idle = this.#idle.filter((entry) => entry.session !== session);
      session.quit();
    }, this.#settings.idleMs);
    timer.unref();
    this.#idle.push({ session, timer });
  }

  #forget(session: SmtpSession): void {
    this.#sessions.delete(session);
    const index = this.#idle.findIndex((entry) => entry.session === session);
    if (index !== -1) clearTimeout(this.#idle.splice(index, 1)[0]?.timer);
    // Whoever had this session comes first: it may have learnt that there is no room for another.
    setImmediate(() => this.#wakeNext());
    this.#checkDrained();
  }

  #wakeNext(): void {
    while (this.#hasRoom()) {
      const waiter = this.#waiting.shift();
      if (waiter === undefined) return;
      this.#opening++;
      waiter.resolve(undefined);
    }
  }

  #hasRoom(): boolean {
    const { to, until } = this.#narrowed;
    const most = performance.now() < until ? Math.min(this.#most, to) : this.#most;
    return this.#sessions.size + this.#opening < most;
  }

  #checkDrained(): void {
    if (this.#sessions.size + this.#opening + this.#waiting.length > 0) return;
    this.#onDrained();
    this.#drained.resolve();
  }

  #interrupted(signal: AbortSignal | undefined): SmtpFailure {
    const cause = signal?.reason;
    return refuse(this.#integration, { fault: "aborted", reason: "it was interrupted", cause });
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
