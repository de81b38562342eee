import { type Encryption, ReplyChannel } from "./_reply_channel.ts";
import { checkAddresses, type Ending, type SmtpMail, Transaction } from "./_transaction.ts";
import { loginHider } from "./hide_login.ts";
import { Opening, type SmtpServer } from "./opening.ts";
import type { SmtpReply } from "./reply_parser.ts";
import { SmtpError, type SmtpErrorFault, type SmtpPhase } from "./smtp_error.ts";
import { RFC_TIMEOUTS, type SmtpTimeouts } from "./smtp_timeouts.ts";

export type { Encryption, SmtpMail };

/** Options of {@linkcode SmtpConnection}. */
export interface SmtpConnectionOptions {
  /** The name in EHLO. It should resolve to this machine. */
  readonly ehloName: string;
  /** @default {RFC_TIMEOUTS} */
  readonly timeouts?: Partial<SmtpTimeouts> | undefined;
  /** Whether to use PIPELINING if it is offered. @default {true} */
  readonly pipelining?: boolean | undefined;
  /**
   * The longest that a mail waits for the reply to the one before it, in milliseconds. It then fails as
   * `lost`, and the connection ends with that reply.
   *
   * @default {2000}
   */
  readonly aheadMs?: number | undefined;
  /**
   * Called when a final dot is sent. A mail that is passed to `send` in here joins the same flight (RFC 2920,
   * section 3.1).
   */
  readonly onDot?: (() => void) | undefined;
  /** Called once, when the connection has ended. */
  readonly onClosed?: (() => void) | undefined;
}

/**
 * A feature that a server offers and does not support: commands in one flight, or only those behind a final
 * dot. Dovecot's submission service, up to 2.3 at least, ends when it gets a RCPT before it has answered a
 * dot.
 */
export type BrokenPipelining = "flight" | "behind_dot";

/** The state of a connection. */
export type ConnectionState = SmtpPhase | "idle" | "quit" | "closed";

/** One mail on this connection, and the callbacks for its end. */
interface Carried {
  readonly mail: SmtpMail;
  readonly transaction: Transaction;
  readonly settled: PromiseWithResolvers<SmtpReply>;
  /** Ends it when it takes too long. */
  clock: NodeJS.Timeout | undefined;
  /** Another mail was sent behind its dot. */
  isFollowed: boolean;
}

const CONTROL = /[\r\n\0]/;

/** One connection to one server, for one mail after another, which tracks its progress. */
export class SmtpConnection {
  /** The number of begun mails. If there were some, the server may have ended the connection meanwhile. */
  transactions = 0;
  /**
   * Set when the server offered PIPELINING, and then lost replies, mixed them up, or ended the connection.
   */
  broke: BrokenPipelining | undefined;
  /** Its opening. */
  readonly opening: Opening;
  readonly #options: SmtpConnectionOptions;
  readonly #timeouts: SmtpTimeouts;
  readonly #channel: ReplyChannel;
  #state: "opening" | "ready" | "quit" | "closed" = "opening";
  #current: Carried | undefined;
  #next: Carried | undefined;
  #mustReset = false;
  #endsAfterReply = false;

  /** Creates a connection that `open` connects. @throws {RangeError} If the EHLO name contains a line end. */
  constructor(server: SmtpServer, options: SmtpConnectionOptions) {
    const { ehloName } = options;
    if (CONTROL.test(ehloName)) throw new RangeError("Cannot use the EHLO name: it has a line end");
    this.#options = options;
    this.#timeouts = { ...RFC_TIMEOUTS, ...options.timeouts };
    this.#channel = new ReplyChannel(loginHider(server.login), () => this.#closed());
    this.opening = new Opening(this.#channel, server, { ehloName, timeouts: this.#timeouts });
  }

  get state(): ConnectionState {
    if (this.#state === "opening") return this.opening.phase;
    return this.#state === "ready" ? this.#current?.transaction.phase ?? "idle" : this.#state;
  }

  get isClosed(): boolean {
    return this.#state === "closed";
  }

  /** Returns whether a mail can be sent behind the one that waits for the reply to its final dot. */
  get takesNext(): boolean {
    return this.#pipelines && this.state === "dot" && this.#next === undefined &&
      !this.#endsAfterReply;
  }

  /** Connects, encrypts and logs in. @throws {SmtpError} */
  async open(signal?: AbortSignal): Promise<void> {
    using _limit = this.#limit(signal);
    try {
      if (signal?.aborted) {
        throw new SmtpError("it was interrupted", {
          ...{ phase: this.opening.phase, fault: "aborted", cause: signal.reason },
        });
      }
      await this.opening.run();
      this.#state = "ready";
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /**
   * Sends one mail. Afterwards the connection accepts another one unless it is closed. While it waits for the
   * reply to a final dot, it accepts one already if {@linkcode takesNext} is true.
   *
   * @throws {SmtpError} @throws {RangeError} If an address could end its command.
   */
  async send(mail: SmtpMail): Promise<SmtpReply> {
    checkAddresses(mail);
    const isAhead = this.takesNext;
    if (this.state !== "idle" && !isAhead) throw failed("lost", "the connection is not free");
    this.transactions++;
    this.#checkFit(mail);
    const carried = this.#carry(mail);
    if (isAhead) {
      this.#next = carried;
      if (this.#current !== undefined) this.#current.isFollowed = true;
      carried.clock = this.#startClockAhead(carried);
    } else {
      this.#current = carried;
      carried.clock = this.#startClock();
    }
    carried.transaction.start();
    return await carried.settled.promise;
  }

  /** Sends a sender's address, and resets it. Returns the server's reply. @throws {SmtpError} */
  async trySender(from: string, signal?: AbortSignal): Promise<SmtpReply> {
    checkAddresses({ from, to: "" });
    this.transactions++;
    using _limit = this.#limit(signal);
    const { commandMs } = this.#timeouts;
    const reply = await this.#channel.ask(`MAIL FROM:<${from}>`, "mail", commandMs);
    if (reply.code >= 300) {
      throw new SmtpError(reply.text, { phase: "mail", fault: "reply", reply });
    }
    await this.#channel.ask("RSET", "mail", commandMs);
    return reply;
  }

  /** Sends QUIT and closes. */
  quit(): void {
    if (this.#state !== "ready") return this.close();
    this.#state = "quit";
    this.#channel.quit();
  }

  /** Closes without another command. A mail whose final dot was sent may have been delivered. */
  close(): void {
    this.#channel.end("lost", "the connection was closed");
  }

  /** Closes because this process ends: the server has not failed. What `close()` says of the final dot holds here, too. */
  interrupt(): void {
    this.#channel.end("aborted", "it was interrupted");
  }

  get #pipelines(): boolean {
    return this.opening.offer.pipelining && this.#options.pipelining !== false;
  }

  /** Checks that a mail fits the offer: a mail with a certain refusal is not begun. @throws {SmtpError} */
  #checkFit({ raw, needsSmtpUtf8 }: SmtpMail): void {
    const { smtpUtf8, maxBytes } = this.opening.offer;
    if (needsSmtpUtf8 && !smtpUtf8) {
      throw failed("no_smtputf8", "the server does not offer SMTPUTF8");
    }
    if (maxBytes === undefined || raw.length <= maxBytes) return;
    throw new SmtpError(
      `the mail has ${raw.length} bytes, but the server accepts at most ${maxBytes}`,
      {
        ...{ phase: "mail", fault: "too_large" },
        sizes: { mail: raw.length, allowed: maxBytes },
      },
    );
  }

  #carry(mail: SmtpMail): Carried {
    const carried: Carried = {
      mail,
      settled: Promise.withResolvers<SmtpReply>(),
      clock: undefined,
      isFollowed: false,
      transaction: new Transaction(mail, {
        channel: this.#channel,
        offer: this.opening.offer,
        timeouts: this.#timeouts,
        pipelines: this.#pipelines,
        resets: this.#mustReset,
        onDot: () => {
          clearTimeout(carried.clock);
          this.#options.onDot?.();
        },
      }, (ending) => this.#ended(carried, ending)),
    };
    return carried;
  }

  #ended(carried: Carried, { result, leaves }: Ending): void {
    clearTimeout(carried.clock);
    if (this.#next === carried) this.#leaveNext();
    else this.#goOn(leaves);
    if (!(result instanceof SmtpError)) return carried.settled.resolve(result);
    this.broke ??= this.#findBroken(result, carried);
    carried.settled.reject(result);
  }

  /** Ends the next mail so that the one before it is not lost. */
  #leaveNext(): void {
    this.#next = undefined;
    this.#endsAfterReply = true;
  }

  #goOn(leaves: Ending["leaves"]): void {
    const next = this.#next;
    this.#mustReset = leaves === "to_reset";
    this.#current = next;
    this.#next = undefined;
    if (leaves === "over" || this.#endsAfterReply) return this.close();
    if (next === undefined) return;
    clearTimeout(next.clock);
    next.clock = this.#startClock();
  }

  #findBroken({ fault, phase }: SmtpError, { isFollowed }: Carried): BrokenPipelining | undefined {
    if (!this.#pipelines || !["lost", "stalled", "out_of_order"].includes(fault)) return undefined;
    if (phase === "dot") return isFollowed ? "behind_dot" : undefined;
    if (!["mail", "rcpt", "data"].includes(phase)) return undefined;
    // Later, a connection may be lost for many reasons.
    return fault === "lost" && this.transactions > 1 ? undefined : "flight";
  }

  /** Ends the connection if something takes too long. */
  #startClock(): NodeJS.Timeout {
    return setTimeout(
      () => this.#channel.end("stalled", "it took too long"),
      this.#timeouts.transferMs,
    );
  }

  /** Ends only the mail behind a dot. */
  #startClockAhead({ transaction }: Carried): NodeJS.Timeout {
    return setTimeout(
      () => transaction.abandon(failed("lost", "the previous mail got no reply")),
      this.#options.aheadMs ?? 2000,
    );
  }

  /** Ends the connection if it takes too long before the disposal, or the signal aborts. */
  #limit(signal: AbortSignal | undefined): Disposable {
    const clock = this.#startClock();
    const abort = () => this.#channel.end("aborted", "it was interrupted", signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    return {
      [Symbol.dispose]() {
        clearTimeout(clock);
        signal?.removeEventListener("abort", abort);
      },
    };
  }

  #closed(): void {
    this.#state = "closed";
    this.#options.onClosed?.();
  }
}

function failed(fault: SmtpErrorFault, reason: string): SmtpError {
  return new SmtpError(reason, { phase: "mail", fault });
}
