import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { createSecureContext, type SecureContext } from "node:tls";
import { FaultySmtpLimiter, type FaultySmtpLimits } from "./_faulty_smtp_limiter.ts";
import { type FaultySmtpHost, FaultySmtpSession } from "./_faulty_smtp_session.ts";
import type { FaultMoment, FaultPlan, FaultStage } from "./faulty_smtp_plan.ts";
import type { FaultySmtpRecord } from "./faulty_smtp_record.ts";
import { resetSocket } from "./reset_socket.ts";
import { testCertificate } from "./test_certificate.ts";
import type { FaultySmtpOptions } from "./faulty_smtp_options.ts";

export type { FaultySmtpLimits };

/** A message whose final dot came, whatever was answered. */
export interface FaultySmtpMessage {
  readonly record: FaultySmtpRecord;
  /** The bytes after DATA with the dot-stuffing undone. */
  readonly raw: Buffer;
}

/** What a faulty server has seen so far. */
export interface FaultySmtpCounts {
  /** Connections ever opened, open now, and open at the same time at most. */
  readonly connections: number;
  readonly open: number;
  readonly peak: number;
  /** Messages that were answered with 2xx, and final dots whose answer may not have arrived. */
  readonly accepted: number;
  readonly ambiguous: number;
  /** Faults injected. */
  readonly faults: number;
  /** A client's violations of RFC 5321: bare line feeds, commands out of order. */
  readonly violations: readonly string[];
}

/** An SMTP server with every fault that a server can have, and none unless planned. */
export interface FaultySmtp extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  /** The ledger so far, oldest first. */
  readonly records: readonly FaultySmtpRecord[];
  readonly messages: readonly FaultySmtpMessage[];
  readonly counts: FaultySmtpCounts;
  /** Changes its faults from now on; `undefined` for none. */
  behave(plan: FaultPlan | undefined): void;
  /** Changes its limits from now on. */
  limit(limits: FaultySmtpLimits): void;
  /** Ends every open connection with RST. */
  dropConnections(): void;
}

/** Opens a faulty SMTP server on 127.0.0.1. */
export async function openFaultySmtp(options: FaultySmtpOptions = {}): Promise<FaultySmtp> {
  const faulty = new FaultyServer(options);
  await faulty.listen(options.port ?? 0);
  return faulty;
}

class FaultyServer implements FaultySmtp, FaultySmtpHost {
  readonly host = "127.0.0.1";
  readonly options: FaultySmtpOptions;
  readonly limiter: FaultySmtpLimiter;
  readonly context: SecureContext;
  readonly records: FaultySmtpRecord[] = [];
  readonly messages: FaultySmtpMessage[] = [];
  readonly #counts = { connections: 0, open: 0, peak: 0, accepted: 0, ambiguous: 0, faults: 0 };
  readonly #violations: string[] = [];
  readonly #sockets = new Set<Socket>();
  readonly #reached = new Map<FaultStage, number>();
  readonly #server: Server;
  #plan: FaultPlan | undefined;
  #queued = 0;

  constructor(options: FaultySmtpOptions) {
    this.options = options;
    this.#plan = options.plan;
    this.limiter = new FaultySmtpLimiter(options.limits ?? {});
    this.context = createSecureContext({
      ...(options.certificate ?? testCertificate),
      ...(options.maxTls === undefined ? {} : { minVersion: "TLSv1", maxVersion: options.maxTls }),
      ...(options.maxTls === undefined ? {} : { ciphers: "DEFAULT@SECLEVEL=0" }),
    });
    // A faulty server ends its side by its plan, not when the client does.
    this.#server = createServer({ noDelay: true, allowHalfOpen: true }, (socket) => {
      this.#accept(socket);
    });
  }

  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === "string") throw new Error("The server is closed");
    return address.port;
  }

  get counts(): FaultySmtpCounts {
    return { ...this.#counts, violations: [...this.#violations] };
  }

  async listen(port: number): Promise<void> {
    await once(this.#server.listen({ port, host: this.host, backlog: 1024 }), "listening");
  }

  behave(plan: FaultPlan | undefined): void {
    this.#plan = plan;
  }

  limit(limits: FaultySmtpLimits): void {
    this.limiter.limits = limits;
  }

  dropConnections(): void {
    for (const socket of this.#sockets) resetSocket(socket);
  }

  decide(moment: Omit<FaultMoment, "before">): ReturnType<FaultPlan> {
    const before = this.#reached.get(moment.stage) ?? 0;
    this.#reached.set(moment.stage, before + 1);
    return this.#plan?.({ ...moment, before });
  }

  record(record: FaultySmtpRecord, raw: Buffer | null): void {
    if (record.fault !== null) this.#counts.faults++;
    if (record.ambiguous) this.#counts.ambiguous++;
    if (record.reply?.startsWith("2")) this.#counts.accepted++;
    this.options.onRecord?.(record, raw);
    if (this.options.keep === false) return;
    this.records.push(record);
    if (raw !== null) this.messages.push({ record, raw });
  }

  queueId(): number {
    return ++this.#queued;
  }

  violated(rule: string): void {
    if (this.#violations.length < 1_000) this.#violations.push(rule);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #accept(socket: Socket): void {
    const counts = this.#counts;
    counts.connections++;
    counts.open++;
    this.#sockets.add(socket);
    counts.peak = Math.max(counts.peak, counts.open);
    // A client that got its goodbye no longer counts, even if its socket is still open.
    let isOver = false;
    const onOver = () => {
      if (!isOver) counts.open--;
      isOver = true;
    };
    socket.on("error", () => {});
    socket.on("close", () => {
      onOver();
      this.#sockets.delete(socket);
    });
    const { connections: number, open } = counts;
    new FaultySmtpSession(socket, { host: this, number, open, onOver }).start();
  }
}
