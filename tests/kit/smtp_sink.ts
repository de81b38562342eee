import { once } from "node:events";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import PostalMime, { type Email } from "postal-mime";
import { SMTPServer, type SMTPServerSession } from "smtp-server";
import { testCertificate } from "./test_certificate.ts";

/** A message as the sink received it. */
export interface SunkMessage {
  /** The SMTP envelope: MAIL FROM and every RCPT TO, as the client wrote them. */
  readonly envelope: { readonly from: string; readonly to: readonly string[] };
  /** The bytes after DATA with the dot-stuffing undone. */
  readonly raw: Buffer;
  readonly receivedAt: Date;
  /** Whether the session was encrypted when the message came. */
  readonly tls: boolean;
  /** The user that logged in, if there was a login. */
  readonly user?: string;
  /** Number of its session, from 1. */
  readonly session: number;
}

/** The stages of a session at which the sink calls its script; `body` is the first piece of content. */
export type SmtpStage = "connect" | "auth" | "mail" | "rcpt" | "data" | "body" | "dot";

/** The input of the script. */
export interface SmtpMoment {
  readonly stage: SmtpStage;
  /** The session, 1 for the first that connected. */
  readonly session: number;
  /** The sender at `mail`, the recipient at `rcpt`, else empty. */
  readonly address: string;
  /** How often this stage was reached before, in all sessions. */
  readonly before: number;
}

/** The script's answer; `undefined` for correct behaviour. */
export interface SmtpAnswer {
  /** Refuses with this reply, code first: `451 4.7.1 Try again later`. Not at `body`. */
  readonly reply?: string;
  /** Closes the connection without a word. A message dropped at `dot` is kept. */
  readonly drop?: boolean;
  /** Waits this many milliseconds first. */
  readonly delayMs?: number;
}

/** Decides how the sink misbehaves. */
export type SmtpScript = (moment: SmtpMoment) => SmtpAnswer | undefined;

/** Settings of {@linkcode openSmtpSink}. */
export interface SmtpSinkOptions {
  /** 0, the default, takes a free port. */
  port?: number;
  /** `none` by default. The certificate is `testCertificate`. */
  tls?: "none" | "starttls" | "implicit";
  /** User names and their passwords; with any, a login is required. */
  users?: Readonly<Record<string, string>>;
  /** The login methods offered; both by default. */
  authMethods?: readonly ("PLAIN" | "LOGIN")[];
  /** How the sink misbehaves. @default not at all */
  script?: SmtpScript;
  /** EHLO keywords to leave out. */
  hide?: readonly ("PIPELINING" | "SMTPUTF8" | "8BITMIME")[];
  /** The largest message in bytes, announced with SIZE. */
  maxBytes?: number;
}

/** A real SMTP server that keeps its mail and misbehaves on request. */
export interface SmtpSink extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  /** Everything kept so far, oldest first. */
  readonly messages: readonly SunkMessage[];
  /** Number of connections ever opened. */
  readonly connections: number;
  /** Maximum number of connections open at the same time. */
  readonly peakConnections: number;
  /** Changes the script while running; `undefined` behaves well again. */
  behave(script: SmtpScript | undefined): void;
  /** Closes every open connection, as a server that ends idle sessions does. */
  dropConnections(): void;
  /** Resolves with the messages once there are `count`. @throws After `timeoutMs`, 5 s by default. */
  waitFor(count: number, timeoutMs?: number): Promise<readonly SunkMessage[]>;
  /** Reads a message with an independent MIME parser. */
  parse(message: SunkMessage): Promise<Email>;
}

/** The parts of smtp-server's connection that its types hide and a refusal at DATA needs. */
interface ServerConnection {
  session: SMTPServerSession;
  send(code: number, text: string): void;
  // deno-lint-ignore camelcase -- smtp-server's name
  handler_DATA(command: unknown, callback: () => void): void;
}

type Done = (error?: Error | null) => void;

/** Opens an SMTP server on 127.0.0.1 that keeps what it receives. */
export async function openSmtpSink(options: SmtpSinkOptions = {}): Promise<SmtpSink> {
  const sink = new Sink(options);
  await sink.listen(options.port ?? 0);
  return sink;
}

class Sink implements SmtpSink {
  readonly host = "127.0.0.1";
  readonly messages: SunkMessage[] = [];
  connections = 0;
  peakConnections = 0;
  #script: SmtpScript | undefined;
  #server: SMTPServer;
  #sockets = new Map<number, Socket>();
  #sessions = new WeakMap<SMTPServerSession, number>();
  #opened = 0;
  #reached = new Map<SmtpStage, number>();
  #waiters = new Set<() => void>();

  constructor(options: SmtpSinkOptions) {
    this.#script = options.script;
    this.#server = this.#createServer(options);
    this.#server.on("error", () => {});
    this.#server.server.on("connection", (socket) => this.#count(socket));
  }

  get port(): number {
    const address = this.#server.server.address();
    if (address === null || typeof address === "string") throw new Error("The sink is closed");
    return address.port;
  }

  async listen(port: number): Promise<void> {
    await once(this.#server.listen(port, this.host), "listening");
  }

  behave(script: SmtpScript | undefined): void {
    this.#script = script;
  }

  dropConnections(): void {
    for (const socket of this.#sockets.values()) socket.destroy();
  }

  async waitFor(count: number, timeoutMs = 5_000): Promise<readonly SunkMessage[]> {
    const deadline = Date.now() + timeoutMs;
    while (this.messages.length < count) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, deadline - Date.now());
      this.#waiters.add(resolve);
      await promise;
      clearTimeout(timer);
      this.#waiters.delete(resolve);
      if (this.messages.length >= count || Date.now() < deadline) continue;
      throw new Error(
        `Cannot wait for ${count} messages: ${this.messages.length} came in ${timeoutMs} ms`,
      );
    }
    return this.messages;
  }

  parse(message: SunkMessage): Promise<Email> {
    return PostalMime.parse(message.raw);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = Promise.withResolvers<void>();
    this.#server.close(() => closed.resolve());
    this.dropConnections();
    await closed.promise;
  }

  #createServer(options: SmtpSinkOptions): SMTPServer {
    const tls = options.tls ?? "none";
    const users = options.users ?? {};
    const withLogin = Object.keys(users).length > 0;
    const hide = new Set(options.hide);
    return new SMTPServer({
      ...testCertificate,
      secure: tls === "implicit",
      hideSTARTTLS: tls !== "starttls",
      authMethods: withLogin ? [...options.authMethods ?? ["PLAIN", "LOGIN"]] : [],
      authOptional: !withLogin,
      allowInsecureAuth: tls === "none",
      disabledCommands: [
        ...(withLogin ? [] : ["AUTH"]),
        ...(tls === "starttls" ? [] : ["STARTTLS"]),
      ],
      disableReverseLookup: true,
      hideENHANCEDSTATUSCODES: true,
      hidePIPELINING: hide.has("PIPELINING"),
      hideSMTPUTF8: hide.has("SMTPUTF8"),
      hide8BITMIME: hide.has("8BITMIME"),
      ...(options.maxBytes === undefined ? {} : { size: options.maxBytes }),
      logger: false,
      onConnect: (session, done) => {
        this.#sessions.set(session, ++this.#opened);
        this.#guardData(session);
        this.#play("connect", session, done);
      },
      onAuth: (auth, session, done) =>
        this.#play("auth", session, (error) => {
          if (error) return done(error);
          const known = auth.username !== undefined && users[auth.username] === auth.password;
          if (!known) return done(refusal("535 5.7.8 Authentication credentials invalid"));
          done(null, { user: auth.username });
        }),
      onMailFrom: (address, session, done) => this.#play("mail", session, done, address.address),
      onRcptTo: (address, session, done) => this.#play("rcpt", session, done, address.address),
      onData: (stream, session, done) => {
        const chunks: Buffer[] = [];
        stream.once("data", () => this.#play("body", session, () => {}));
        stream.on("data", (chunk: Buffer) => chunks.push(chunk));
        stream.on("end", () => {
          // An ended connection ends the stream too, without the final dot.
          if (!this.#sockets.has(session.remotePort)) return;
          const message = this.#message(session, Buffer.concat(chunks));
          this.#play(
            "dot",
            session,
            (error) => {
              if (!error) this.#keep(message);
              done(error);
            },
            "",
            () => this.#keep(message),
          );
        });
      },
    });
  }

  /** smtp-server answers DATA by itself, so a scripted answer has to come before its handler. */
  #guardData(session: SMTPServerSession): void {
    const connections = this.#server.connections as unknown as Iterable<ServerConnection>;
    for (const connection of connections) {
      if (connection.session !== session) continue;
      const accept = connection.handler_DATA.bind(connection);
      connection.handler_DATA = (command, callback) => {
        this.#play("data", session, (error) => {
          if (!error) return accept(command, callback);
          connection.send((error as Refusal).responseCode, error.message);
          callback();
        });
      };
    }
  }

  async #play(
    stage: SmtpStage,
    session: SMTPServerSession,
    done: Done,
    address = "",
    beforeDrop = () => {},
  ): Promise<void> {
    const before = this.#reached.get(stage) ?? 0;
    this.#reached.set(stage, before + 1);
    const number = this.#sessions.get(session) ?? 0;
    const answer = this.#script?.({ stage, session: number, address, before });
    if (answer?.delayMs) await sleep(answer.delayMs, undefined, { ref: false });
    if (answer?.drop) {
      beforeDrop();
      this.#sockets.get(session.remotePort)?.destroy();
      this.#sockets.delete(session.remotePort);
      return;
    }
    done(answer?.reply ? refusal(answer.reply) : null);
  }

  #count(socket: Socket): void {
    const port = socket.remotePort ?? 0;
    this.connections++;
    this.#sockets.set(port, socket);
    this.peakConnections = Math.max(this.peakConnections, this.#sockets.size);
    socket.on("error", () => {});
    socket.on("close", () => this.#sockets.delete(port));
  }

  #message(session: SMTPServerSession, raw: Buffer): SunkMessage {
    const { mailFrom, rcptTo } = session.envelope;
    return {
      envelope: {
        from: mailFrom ? mailFrom.address : "",
        to: rcptTo.map((recipient) => recipient.address),
      },
      raw,
      receivedAt: new Date(),
      tls: session.secure,
      ...(typeof session.user === "string" ? { user: session.user } : {}),
      session: this.#sessions.get(session) ?? 0,
    };
  }

  #keep(message: SunkMessage): void {
    this.messages.push(message);
    for (const wake of this.#waiters) wake();
  }
}

interface Refusal extends Error {
  responseCode: number;
}

function refusal(reply: string): Refusal {
  return Object.assign(new Error(reply.slice(4)), { responseCode: Number(reply.slice(0, 3)) });
}
