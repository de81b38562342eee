import type { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { isIP } from "node:net";
import { TLSSocket } from "node:tls";
import type { Transform } from "node:stream";
import SMTPConnection, { type SMTPConnectionSendInfo } from "nodemailer/lib/smtp-connection";
import { crashPoint } from "@posthaste/runtime";
import { needsNoStuffing, passThrough } from "./_dot_stuffing.ts";
import { hideLogin, hideLoginIn } from "./hide_login.ts";
import { ReplyGuard } from "./_reply_guard.ts";
import { commandPhase, type ConnectionError, faultOf, phaseOf } from "./_session_phase.ts";
import { parseReply, SmtpFailure, type SmtpFault, type SmtpPhase } from "./smtp_failure.ts";
import type { SmtpIntegration } from "./smtp_integration.ts";

/** How long a session waits, in milliseconds, and how it names itself. */
export interface SessionSettings {
  readonly ehloName: string;
  readonly connectTimeoutMs: number;
  /** The longest time without progress before the final dot, and after it. */
  readonly stallMs: number;
  readonly replyMs: number;
  /** The longest time for opening a session, and for a mail up to its final dot. */
  readonly transferMs: number;
}

/** What is said in a session, for who wants to know how far it comes. */
export type SessionListener = (
  who: "network" | "client" | "server",
  line: string,
) => void;

/** How a connection is encrypted. */
export interface Encryption {
  /** As `TLSv1.3`. */
  readonly protocol: string;
  readonly certificate: X509Certificate | undefined;
}

/** One mail for one recipient. */
export interface SessionMail {
  readonly from: string;
  readonly to: string;
  readonly needsSmtpUtf8: boolean;
  readonly raw: Buffer;
  readonly signal?: AbortSignal | undefined;
  readonly onData?: (() => void) | undefined;
  readonly onDot?: (() => Promise<void>) | undefined;
}

const READ_FIRST_MS = 100;

/** The body goes out in pieces of this many bytes, so that a slow one is seen to move. */
const pieceBytes = 64 * 1024;

/** One connection to one server, for one mail after the other, that knows how far it has come. */
export class SmtpSession {
  /** How many transactions were begun: a session with some may have been ended by the server. */
  transactions = 0;
  closed = false;
  #integration: SmtpIntegration;
  #settings: SessionSettings;
  #connection: SMTPConnection;
  #replies: ReplyGuard;
  #onClosed: () => void;
  #onHeard: SessionListener | undefined;
  #phase: SmtpPhase = "connect";
  #ehlo = "";
  #mustReset = false;
  #pending: PromiseWithResolvers<unknown> | undefined;
  #watchdog: NodeJS.Timeout | undefined;
  #deadline: NodeJS.Timeout | undefined;

  constructor(
    integration: SmtpIntegration,
    options: {
      address: string;
      settings: SessionSettings;
      onClosed: () => void;
      onHeard?: SessionListener | undefined;
    },
  ) {
    this.#integration = integration;
    this.#settings = options.settings;
    this.#onClosed = options.onClosed;
    this.#onHeard = options.onHeard;
    this.#connection = new SMTPConnection(this.#connectionOptions(options.address));
    this.#replies = new ReplyGuard(this.#connection, () => {
      this.#settleWith(this.#failure("lost", "the server said too much"));
      this.close();
    });
    this.#connection.on("error", (error: Error) => this.#fail(error));
    this.#connection.on("end", () => this.#ended());
  }

  /** Connects, encrypts and logs in. @throws {SmtpFailure} */
  async open(signal?: AbortSignal): Promise<void> {
    await this.#guarded(signal, () =>
      new Promise<void>((resolve, reject) => {
        this.#connection.connect((error) => error ? reject(error) : resolve());
      }));
    const { auth } = this.#integration;
    if (auth === null) return;
    this.#phase = "auth";
    if (!/^\d{3}[ -]AUTH[ =]/im.test(this.#ehlo)) {
      this.close();
      throw this.#failure("no_auth", "the server offers no login");
    }
    await this.#guarded(signal, () =>
      new Promise<void>((resolve, reject) => {
        const login = {
          user: auth.user,
          pass: auth.password,
          method: auth.method ?? false,
        } as const;
        this.#connection.login(login, (error) => error ? reject(error) : resolve());
      }));
  }

  /** Sends one mail. The session is usable again unless `closed`. @throws {SmtpFailure} */
  async send(mail: SessionMail): Promise<SMTPConnectionSendInfo> {
    this.transactions++;
    this.#phase = "mail";
    if (mail.needsSmtpUtf8 && !/^\d{3}[ -]SMTPUTF8\b/im.test(this.#ehlo)) {
      throw this.#failure("no_smtputf8", "the server does not offer SMTPUTF8");
    }
    return await this.#guarded(mail.signal, async () => {
      if (this.#mustReset) await this.#reset();
      return await this.#transact(mail);
    });
  }

  /** Names a sender, and takes it back. Gives what the server said to it. @throws {SmtpFailure} */
  async trySender(from: string, signal?: AbortSignal): Promise<string> {
    this.transactions++;
    this.#phase = "mail";
    const reply = await this.#guarded(signal, () => this.#say(`MAIL FROM:<${from}>`));
    if (!reply.startsWith("2")) {
      const message = `Cannot send through "${this.#integration.host}": ${reply}`;
      throw new SmtpFailure(message, { phase: "mail", fault: "reply", response: reply });
    }
    await this.#guarded(signal, () => this.#reset());
    return reply;
  }

  /** How the connection is encrypted, while it is open; `undefined` for one that is not. */
  get encryption(): Encryption | undefined {
    const { _socket: socket } = this.#connection;
    if (!(socket instanceof TLSSocket)) return undefined;
    const certificate = socket.getPeerX509Certificate();
    return { protocol: socket.getProtocol() ?? "TLS", certificate };
  }

  /** Says QUIT and closes. */
  quit(): void {
    if (this.closed) return;
    this.#connection.quit();
    setTimeout(() => this.close(), 1_000).unref();
  }

  /** Closes without a word. */
  close(): void {
    this.#connection.close();
    this.#ended();
  }

  #transact(mail: SessionMail): Promise<SMTPConnectionSendInfo> {
    const envelope = { from: mail.from, to: [mail.to], size: mail.raw.length };
    const body = { pipe: (stream: Transform) => void this.#pour(stream, mail) };
    return new Promise((resolve, reject) => {
      // nodemailer asks no more of a stream than pipe().
      crashPoint("mailer.before_data");
      this.#connection.send(envelope, body as never, (error, info) => {
        if (error || info === undefined) return reject(error);
        // A reply from before the dot is about something else, whatever it says.
        if (this.#phase === "dot") {
          info.response = hideLogin(info.response, this.#integration.auth);
          return resolve(info);
        }
        reject(this.#failure("lost", "the server answered before the mail was over"));
      });
    });
  }

  async #pour(stream: Transform, mail: SessionMail): Promise<void> {
    const { raw } = mail;
    if (needsNoStuffing(raw)) stream._transform = passThrough;
    try {
      mail.onData?.();
      for (let start = 0; start < raw.length; start += pieceBytes) {
        const piece = raw.subarray(start, start + pieceBytes);
        if (!stream.write(piece) && start + pieceBytes < raw.length) await once(stream, "drain");
        if (start === 0) crashPoint("mailer.mid_body");
        this.#progress();
      }
      await mail.onDot?.();
      if (!this.closed) stream.end();
    } catch (error) {
      this.#settleWith(this.#failure("gate", "the final dot was held back", error));
      this.close();
    }
  }

  /** nodemailer has no words of its own for a sender alone; its types hide how it says all others. */
  #say(command: string): Promise<string> {
    const speaker = this.#connection as unknown as {
      _responseActions: ((reply: string) => void)[];
      _sendCommand(command: string): void;
    };
    return new Promise((resolve) => {
      speaker._responseActions.push((reply) => {
        resolve(hideLogin(reply, this.#integration.auth));
      });
      speaker._sendCommand(command);
    });
  }

  #reset(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#connection.reset((error) => {
        // About the session, not about the mail that is next.
        if (error) return reject(this.#failure("lost", "its session could not be reset", error));
        this.#mustReset = false;
        resolve();
      });
    });
  }

  /** Runs one step that a lost connection, an abort or the watchdog can end early. */
  async #guarded<T>(signal: AbortSignal | undefined, step: () => Promise<T>): Promise<T> {
    const pending = Promise.withResolvers<unknown>();
    this.#pending = pending;
    const abort = () => {
      this.#settleWith(this.#failure("aborted", "it was interrupted", signal?.reason));
      this.close();
    };
    signal?.addEventListener("abort", abort, { once: true });
    try {
      if (signal?.aborted) abort();
      else {
        this.#deadline = setTimeout(() => this.#giveUp(), this.#settings.transferMs);
        this.#progress();
        step().then(pending.resolve, (error: ConnectionError) => this.#fail(error));
      }
      const result = await pending.promise as T;
      if (this.#replies.hasMore) this.close();
      return result;
    } finally {
      clearTimeout(this.#watchdog);
      clearTimeout(this.#deadline);
      this.#watchdog = undefined;
      this.#pending = undefined;
      signal?.removeEventListener("abort", abort);
    }
  }

  #settleWith(failure: SmtpFailure): void {
    this.#pending?.reject(failure);
    this.#pending = undefined;
  }

  #fail(error: ConnectionError | SmtpFailure): void {
    if (this.#pending === undefined) return;
    const failure = error instanceof SmtpFailure
      ? error
      : this.#translate(hideLoginIn(error, this.#integration.auth));
    // Only a refusal of this one mail leaves a session that can go on.
    const refused = failure.code !== undefined && failure.code !== 421;
    const usable = (refused || failure.fault === "too_large") &&
      ["mail", "rcpt", "data", "dot"].includes(failure.phase) && !failure.unknown;
    this.#mustReset = usable && failure.fault !== "too_large";
    this.#settleWith(failure);
    if (!usable) this.close();
  }

  #ended(): void {
    if (this.closed) return;
    this.closed = true;
    // A 421 closes first and tells its command afterwards, within the same turn.
    setImmediate(() => this.#settleWith(this.#failure("lost", "the connection was closed")));
    this.#onClosed();
  }

  #progress(): void {
    if (this.#pending === undefined) return;
    const { stallMs, replyMs } = this.#settings;
    clearTimeout(this.#watchdog);
    const patienceMs = this.#phase === "dot" ? replyMs : stallMs;
    this.#watchdog = setTimeout(() => this.#giveUp(), patienceMs);
  }

  /**
   * Ends what takes too long. A process that was frozen finds its timers due before it has read what
   * came meanwhile, and that may be the reply: it is read first.
   */
  #giveUp(): void {
    const pending = this.#pending;
    setTimeout(() => {
      if (pending === undefined || this.#pending !== pending) return;
      this.#settleWith(this.#failure("stalled", "nothing moved any more"));
      this.close();
    }, READ_FIRST_MS);
  }

  #failure(fault: SmtpFault, reason: string, cause?: unknown): SmtpFailure {
    return new SmtpFailure(`Cannot send through "${this.#integration.host}": ${reason}`, {
      phase: this.#phase,
      fault,
      cause,
    });
  }

  #translate(error: ConnectionError): SmtpFailure {
    const message = `Cannot send through "${this.#integration.host}": ${error.message}`;
    const cause = error;
    const phase = phaseOf(error, this.#phase);
    if (error.response && parseReply(error.response)) {
      return new SmtpFailure(message, { phase, fault: "reply", response: error.response, cause });
    }
    const fault = faultOf(error, phase);
    const early = phase === "connect" && (fault === "tls" || fault === "certificate");
    return new SmtpFailure(message, { phase: early ? "tls" : phase, fault, cause });
  }

  #connectionOptions(address: string) {
    const { host, port, tls, ca, allowInvalidCertificate } = this.#integration;
    const { connectTimeoutMs } = this.#settings;
    return {
      host: address,
      port,
      secure: tls === "implicit",
      requireTLS: tls === "starttls",
      ignoreTLS: tls === "none",
      name: this.#settings.ehloName,
      tls: {
        minVersion: "TLSv1.2" as const,
        rejectUnauthorized: allowInvalidCertificate !== true,
        ...(isIP(host) ? {} : { servername: host }),
        ...(ca === undefined ? {} : { ca }),
      },
      connectionTimeout: connectTimeoutMs,
      greetingTimeout: connectTimeoutMs,
      dnsTimeout: Math.min(5_000, connectTimeoutMs),
      // The watchdog comes first.
      socketTimeout: this.#settings.replyMs + 10 * READ_FIRST_MS,
      socketCloseTimeout: 0,
      maxResponseSize: 64 * 1024,
      transactionLog: true,
      logger: this.#listen(),
    };
  }

  /** nodemailer's log is the only place where it tells how far a transaction has come. */
  #listen() {
    const hear = (entry: { tnx?: string }, message?: string) => this.#hear(entry.tnx, message);
    const ignore = () => {};
    return { trace: ignore, debug: hear, info: hear, warn: ignore, error: ignore, fatal: ignore };
  }

  #hear(kind: string | undefined, message = ""): void {
    if (kind === "network" || kind === "client" || kind === "server") {
      this.#onHeard?.(kind, hideLogin(message, this.#integration.auth));
    }
    if (kind === "message") this.#dotLeft();
    else if (kind === "client") this.#phase = commandPhase(message) ?? this.#phase;
    else if (kind === "server") this.#heardReply(message);
    else if (kind === "network" && this.#phase === "connect") this.#phase = "greeting";
    else return;
    this.#progress();
  }

  #dotLeft(): void {
    this.#phase = "dot";
    clearTimeout(this.#deadline);
    crashPoint("mailer.after_dot");
  }

  #heardReply(reply: string): void {
    this.#replies.heard();
    if (this.#phase === "dot") crashPoint("mailer.after_reply");
    const good = reply.startsWith("2") || reply.startsWith("3");
    if (this.#phase === "ehlo" && good) this.#ehlo = reply;
    else if (this.#phase === "mail" && good) this.#phase = "rcpt";
    else if (this.#phase === "rcpt" && good) this.#phase = "data";
    else if (this.#phase === "data" && good) this.#phase = "body";
  }
}
