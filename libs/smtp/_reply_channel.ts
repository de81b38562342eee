import type { Buffer } from "node:buffer";
import { connect as dial, type Socket } from "node:net";
import { connect as encrypt, type ConnectionOptions, type TLSSocket } from "node:tls";
import { X509Certificate } from "node:crypto";
import { ReplyParser, type SmtpReply } from "./reply_parser.ts";
import { SmtpError, type SmtpErrorFault, type SmtpPhase } from "./smtp_error.ts";
import { isOfCertificate, tlsFaultOf } from "./tls_fault.ts";

/** Receives one reply or, while none is awaited, unsolicited ones. */
export interface Listener {
  readonly phase: SmtpPhase;
  /** The longest wait, from the moment when no earlier reply is awaited. */
  readonly ms: number;
  take(reply: SmtpReply): void;
  /** Called when the connection has ended. */
  fail(error: SmtpError): void;
}

/** How a connection is encrypted. */
export interface Encryption {
  /** Such as `TLSv1.3`. */
  readonly protocol: string;
  readonly certificate: X509Certificate | undefined;
}

/** The address and the mode of a connection. */
export interface Dialling {
  /** An IP address. */
  readonly address: string;
  readonly port: number;
  /** Set for TLS from the first byte. */
  readonly tls?: ConnectionOptions | undefined;
  readonly ms: number;
}

/** After a standstill of the process, timers are due before the bytes that arrived meanwhile are read. */
const READ_FIRST_MS = 100;
const QUIT_MS = 1000;

/** The bytes of one connection, and the listeners for its replies, in the order of the commands. */
export class ReplyChannel {
  #socket: Socket | undefined;
  #parser = new ReplyParser();
  #awaited: Listener[] = [];
  #standby: Listener | undefined;
  #timer: NodeJS.Timeout | undefined;
  #armed = 0;
  #isOver = false;
  #isDeaf = false;
  #isQuitting = false;
  #conceal: (text: string) => string;
  #onClosed: () => void;
  /** Set once it is encrypted. */
  encryption: Encryption | undefined;

  /** Creates a channel. @param conceal Removes secrets from the server's replies. */
  constructor(conceal: (text: string) => string, onClosed: () => void) {
    this.#conceal = conceal;
    this.#onClosed = onClosed;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Returns the number of awaited replies. */
  get awaited(): number {
    return this.#awaited.length;
  }

  /** Connects. @throws {SmtpError} */
  connect({ address, port, tls, ms }: Dialling): Promise<void> {
    return this.#during({ phase: "connect", ms }, (done) => {
      const where = { host: address, port, noDelay: true, keepAlive: true };
      if (tls === undefined) return void this.#use(dial(where), "connect").once("connect", done);
      this.#useTls(encrypt({ ...where, ...tls }), "connect", done);
    });
  }

  /** Encrypts from now on. @throws {SmtpError} */
  async encrypt(tls: ConnectionOptions, ms: number): Promise<void> {
    const plain = this.#socket;
    if (plain === undefined) return;
    plain.removeAllListeners("data");
    // Bytes in the clear after the server's consent may come from an attacker (CVE-2011-0411).
    this.#parser = new ReplyParser();
    await this.#during({ phase: "tls", ms }, (done) => {
      this.#useTls(encrypt({ ...tls, socket: plain }), "tls", done);
    });
    this.#isDeaf = false;
  }

  /** Waits for the next reply without a listener. */
  await(listener: Listener): void {
    if (this.#isOver) return listener.fail(overError(listener.phase));
    if (this.#awaited.push(listener) === 1) this.#arm();
  }

  /** Waits for the next reply. @throws {SmtpError} */
  reply(phase: SmtpPhase, ms: number): Promise<SmtpReply> {
    return new Promise((resolve, reject) => {
      this.await({ phase, ms, take: resolve, fail: reject });
    });
  }

  /** Sends a command and waits for its reply. @throws {SmtpError} */
  ask(command: string, phase: SmtpPhase, ms: number): Promise<SmtpReply> {
    this.write(`${command}\r\n`);
    return this.reply(phase, ms);
  }

  /** Does the same as {@linkcode ask}, and drops all bytes after the reply. @throws {SmtpError} */
  askLast(command: string, phase: SmtpPhase, ms: number): Promise<SmtpReply> {
    this.write(`${command}\r\n`);
    return new Promise((resolve, reject) => {
      const take = (reply: SmtpReply) => {
        this.#isDeaf = true;
        resolve(reply);
      };
      this.await({ phase, ms, take, fail: reject });
    });
  }

  /**
   * Sets the listener for unsolicited replies and for the end of the connection. Each call restarts its
   * timeout.
   */
  standBy(listener: Listener | undefined): void {
    if (this.#isOver) return listener?.fail(overError(listener.phase));
    this.#standby = listener;
    if (this.#awaited.length === 0) this.#arm();
  }

  /** Writes data. Returns whether there is capacity for more. */
  write(data: string | Buffer): boolean {
    if (this.#isOver || this.#socket === undefined) return true;
    return this.#socket.write(data);
  }

  /** Calls back once there is capacity for more; never if the connection ends first. */
  onceDrained(go: () => void): void {
    this.#socket?.once("drain", go);
  }

  /** Combines all writes of `say` into one. */
  combine(say: () => void): void {
    const socket = this.#socket;
    socket?.cork();
    say();
    socket?.uncork();
  }

  /** Sends QUIT, and closes on the reply. */
  quit(): void {
    if (this.#isOver || this.#isQuitting) return;
    this.#isQuitting = true;
    this.write("QUIT\r\n");
    setTimeout(() => this.end("lost", "the connection was closed"), QUIT_MS).unref();
  }

  /** Closes immediately, and fails all listeners with the reason. */
  end(fault: SmtpErrorFault, reason: string, cause?: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#socket?.destroy();
    const listeners = [...this.#awaited, ...(this.#standby === undefined ? [] : [this.#standby])];
    this.#awaited = [];
    this.#standby = undefined;
    for (const { phase, fail } of listeners) fail(new SmtpError(reason, { phase, fault, cause }));
    this.#onClosed();
  }

  /** Runs a step in which the server must not reply. */
  #during(
    wait: Pick<Listener, "phase" | "ms">,
    step: (done: () => void) => void,
  ): Promise<void> {
    if (this.#isOver) return Promise.reject(overError(wait.phase));
    return new Promise((resolve, reject) => {
      const take = () => this.end("lost", "the server sent data too early");
      this.standBy({ ...wait, take, fail: reject });
      step(() => {
        if (!this.#isOver) this.standBy(undefined);
        resolve();
      });
    });
  }

  #use<S extends Socket>(socket: S, phase: SmtpPhase): S {
    this.#socket = socket;
    socket.on("data", (chunk) => this.#read(chunk));
    socket.on("end", () => this.end("lost", "the connection was closed"));
    socket.on("close", () => this.end("lost", "the connection was closed"));
    socket.on("error", (error: NodeJS.ErrnoException) => this.#broke(error, phase));
    return socket;
  }

  #useTls(socket: TLSSocket, phase: SmtpPhase, done: () => void): void {
    let shown: Buffer | undefined;
    // Before the check, which ends the connection: the refused certificate must be reported.
    socket.prependListener("secure", () => shown = socket.getPeerCertificate().raw);
    socket.on("error", (error: NodeJS.ErrnoException) => {
      if (this.#isOver || this.encryption !== undefined) return this.#broke(error, phase);
      const tls = tlsFaultOf(error, shown && new X509Certificate(shown));
      if (tls === undefined) return this.#broke(error, phase);
      this.#endOf(tls, error);
    });
    this.#socket = socket;
    socket.once("secureConnect", () => {
      this.encryption = {
        protocol: socket.getProtocol() ?? "TLS",
        get certificate() {
          return shown && new X509Certificate(shown);
        },
      };
      done();
    });
    socket.on("data", (chunk) => this.#read(chunk));
    socket.on("end", () => this.end("lost", "the connection was closed"));
    socket.on("close", () => this.end("lost", "the connection was closed"));
  }

  #endOf(tls: NonNullable<ReturnType<typeof tlsFaultOf>>, cause: Error): void {
    const listener = this.#standby;
    this.#standby = undefined;
    const fault = isOfCertificate(tls) ? "certificate" : "tls";
    this.end(fault, cause.message, cause);
    listener?.fail(new SmtpError(cause.message, { phase: "tls", fault, tls, cause }));
  }

  #broke(error: NodeJS.ErrnoException, phase: SmtpPhase): void {
    const faults: Record<string, SmtpErrorFault> = {
      ECONNREFUSED: "refused",
      ETIMEDOUT: "timeout",
    };
    const fault = faults[error.code ?? ""] ??
      (phase === "tls" && this.encryption === undefined ? "tls" : "lost");
    this.end(fault, error.message, error);
  }

  #read(chunk: Buffer): void {
    if (this.#isOver || this.#isDeaf) return;
    try {
      this.#parser.read(chunk, (reply) => {
        this.#hear(reply);
        return !this.#isDeaf && !this.#isOver;
      });
    } catch (cause) {
      this.end(
        "lost",
        cause instanceof Error ? this.#conceal(cause.message) : String(cause),
        cause,
      );
    }
  }

  #hear(reply: SmtpReply): void {
    if (this.#isQuitting) return this.end("lost", "the connection was closed");
    const concealed = this.#concealed(reply);
    const listener = this.#awaited.shift();
    if (listener !== undefined) {
      this.#arm();
      listener.take(concealed);
    } else if (this.#standby !== undefined) this.#standby.take(concealed);
    else this.end("lost", "the server sent unexpected data");
  }

  #concealed(reply: SmtpReply): SmtpReply {
    const text = this.#conceal(reply.text);
    return text === reply.text ? reply : { ...reply, text, lines: reply.lines.map(this.#conceal) };
  }

  #arm(): void {
    clearTimeout(this.#timer);
    const listener = this.#awaited[0] ?? this.#standby;
    const armed = ++this.#armed;
    this.#timer = listener && setTimeout(() => this.#isLate(listener.phase, armed), listener.ms);
  }

  #isLate(phase: SmtpPhase, armed: number): void {
    this.#timer = setTimeout(() => {
      if (armed !== this.#armed) return;
      const fault = phase === "connect" || phase === "greeting" ? "timeout" : "stalled";
      this.end(fault, "the connection stalled");
    }, READ_FIRST_MS);
  }
}

function overError(phase: SmtpPhase): SmtpError {
  return new SmtpError("the connection was closed", { phase, fault: "lost" });
}
