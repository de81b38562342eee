import type { SmtpReply } from "@posthaste/contracts";
import type { BrokenPipelining, SmtpMail } from "@posthaste/smtp";
import { LRUCache } from "lru-cache";
import { MAX_WAIT_MS } from "./admission.ts";
import { CLOSED, ConnectionLine, type LineSettings, refuse } from "./_connection_line.ts";
import { fingerprintOf, hasBadCa, leaksLogin, type SmtpIntegration } from "./smtp_integration.ts";
import { toWireAddress } from "./wire_address.ts";
import type { TransportPoolOptions } from "./transport_pool_options.ts";
import { UntriedError } from "./untried_error.ts";

/** One mail for exactly one recipient, and its copies. */
export interface OutgoingMail {
  readonly integration: SmtpIntegration;
  /** Maximum number of open connections from now on, instead of the integration's own. */
  readonly connections?: number;
  /** One address each; the copies are further ones. */
  readonly envelope: {
    readonly from: string;
    readonly to: string;
    readonly copies?: readonly string[] | undefined;
  };
  /** Called for each copy that the server refuses. Returns whether the mail goes without it. */
  readonly goesWithout?: SmtpMail["goesWithout"];
  /** The whole message with CRLF line ends; dot-stuffing is added here. */
  readonly raw: Buffer;
  /** Called when the server waits for the content. */
  readonly onData?: () => void;
  /** Called when the content was sent. The final dot is held back until it resolves. */
  readonly onDot?: () => Promise<void>;
}

/** Sends mails over connections that are kept open. */
export interface TransportPool extends AsyncDisposable {
  /**
   * Returns the reply by which the server accepted the mail.
   *
   * @throws {SmtpFailure}
   * @throws {UntriedError} If it got no connection in time, or the pool was closed before it had the server's 354.
   * @throws {RangeError} If an address of the envelope is not one address.
   */
  send(mail: OutgoingMail): Promise<SmtpReply>;
  /** The connections open now, in all integrations. */
  readonly connections: number;
  /** Ends every transaction now. The outcome of a mail whose final dot was sent is unknown. */
  interrupt(): void;
}

/** Opens a pool of SMTP connections, a few for each integration. Nothing connects until a send. */
export function openTransportPool(options: TransportPoolOptions): TransportPool {
  return new Pool(options);
}

/** Servers that fail at an extension that they offer: how many are remembered, and for how long. */
const MAX_BROKEN_SERVERS = 1000;
const BROKEN_MS = {
  flight: 3_600_000,
  // A new try may leave the outcome of a mail unknown.
  behind_dot: 24 * 3_600_000,
} as const satisfies Record<BrokenPipelining, number>;

class Pool implements TransportPool {
  #broken = new LRUCache<string, BrokenPipelining>({ max: MAX_BROKEN_SERVERS });
  #lines = new Map<string, ConnectionLine>();
  #current = new Map<string, ConnectionLine>();
  #settings: LineSettings;
  #closed = false;

  constructor(options: TransportPoolOptions) {
    this.#settings = {
      connectTimeoutMs: 15_000,
      stallMs: 60_000,
      replyMs: 600_000,
      transferMs: 300_000,
      waitMs: MAX_WAIT_MS,
      idleMs: 30_000,
      maxMails: 100,
      drainMs: 30_000,
      ...options,
    };
  }

  get connections(): number {
    let open = 0;
    for (const line of this.#lines.values()) open += line.connections;
    return open;
  }

  async send(mail: OutgoingMail): Promise<SmtpReply> {
    const { integration } = mail;
    const from = toWireAddress(mail.envelope.from);
    const to = toWireAddress(mail.envelope.to);
    const copies = (mail.envelope.copies ?? []).map(toWireAddress);
    if (this.#closed) throw new UntriedError(integration.host, CLOSED);
    if (leaksLogin(integration)) {
      const reason = "its login would be sent without encryption";
      throw refuse(integration, { fault: "insecure_auth", reason });
    }
    if (hasBadCa(integration)) {
      const reason = "its certificate authority cannot be read";
      throw refuse(integration, { fault: "bad_ca", reason });
    }
    const line = this.#lineOf(integration);
    line.resize(mail.connections ?? integration.maxConnections ?? 5);
    return await line.send({
      from: from.address,
      to: to.address,
      copies: copies.map(({ address }) => address),
      goesWithout: mail.goesWithout,
      needsSmtpUtf8: [from, to, ...copies].some(({ needsSmtpUtf8 }) => needsSmtpUtf8),
      raw: mail.raw,
      onData: mail.onData,
      beforeDot: mail.onDot,
    });
  }

  interrupt(): void {
    this.#closed = true;
    for (const line of this.#lines.values()) {
      line.close();
      line.interrupt();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    const lines = [...this.#lines.values()];
    const drained = Promise.all(lines.map((line) => line.drained));
    for (const line of lines) line.close();
    const timer = setTimeout(
      () => lines.forEach((line) => line.interrupt()),
      this.#settings.drainMs,
    );
    await drained;
    clearTimeout(timer);
  }

  /** A changed integration gets connections of its own; the old ones close when they are idle. */
  #lineOf(integration: SmtpIntegration): ConnectionLine {
    const fingerprint = fingerprintOf(integration);
    const known = this.#lines.get(fingerprint);
    if (known !== undefined) return known;
    const line: ConnectionLine = new ConnectionLine(integration, this.#settings, {
      memory: {
        broken: () => this.#broken.get(fingerprint),
        learn: (broken) => {
          this.#broken.set(fingerprint, broken, { ttl: BROKEN_MS[broken] });
        },
      },
      onDrained: () => {
        this.#lines.delete(fingerprint);
        if (this.#current.get(integration.key) === line) this.#current.delete(integration.key);
      },
    });
    this.#current.get(integration.key)?.retire();
    this.#current.set(integration.key, line);
    this.#lines.set(fingerprint, line);
    return line;
  }
}
