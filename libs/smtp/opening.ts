import { STRANGERS_CIPHERS } from "@posthaste/egress";
import { isIP } from "node:net";
import type { ConnectionOptions } from "node:tls";
import { logIn, type SmtpLogin } from "./_log_in.ts";
import type { Encryption, ReplyChannel } from "./_reply_channel.ts";
import type { SmtpReply } from "./reply_parser.ts";
import { NO_OFFER, parseOffer, type ServerOffer } from "./server_offer.ts";
import { SmtpError, type SmtpPhase } from "./smtp_error.ts";
import type { SmtpTimeouts } from "./smtp_timeouts.ts";

export type { SmtpLogin };

/** The address of a server, and the mode of its connections. */
export interface SmtpServer {
  /** The name that its certificate must have. */
  readonly host: string;
  /** The IP address to connect to. No names are resolved here. */
  readonly address: string;
  readonly port: number;
  /** `starttls` requires the upgrade; `none` never upgrades. */
  readonly tls: "none" | "starttls" | "implicit";
  readonly login: SmtpLogin | null;
  /** The certificate authorities to trust instead of the public ones, as PEM. */
  readonly ca?: string | undefined;
  readonly allowInvalidCertificate?: boolean | undefined;
}

/** The end of each step, by `performance.now()`. */
export interface OpeningTimes {
  begun: number;
  connected?: number;
  /** The server has answered EHLO, so it speaks SMTP. */
  greeted?: number;
  /** With STARTTLS. */
  encrypted?: number;
}

/** The opening of a connection, up to the login: its progress, and the server's replies. */
export class Opening {
  phase: SmtpPhase = "connect";
  readonly times: OpeningTimes = { begun: performance.now() };
  greeting: SmtpReply | undefined;
  /** From the last answer to EHLO. */
  offer: ServerOffer = NO_OFFER;
  /** The positive reply to the login. */
  loggedIn: SmtpReply | undefined;
  readonly #channel: ReplyChannel;
  readonly #server: SmtpServer;
  readonly #ehloName: string;
  readonly #timeouts: SmtpTimeouts;

  constructor(
    channel: ReplyChannel,
    server: SmtpServer,
    options: { ehloName: string; timeouts: SmtpTimeouts },
  ) {
    this.#channel = channel;
    this.#server = server;
    this.#ehloName = options.ehloName;
    this.#timeouts = options.timeouts;
  }

  /** Returns the encryption, once the connection is encrypted. */
  get encryption(): Encryption | undefined {
    return this.#channel.encryption;
  }

  /** Connects, encrypts and logs in. @throws {SmtpError} */
  async run(): Promise<void> {
    const { tls, login } = this.#server;
    await this.#connect();
    await this.#greet();
    this.times.greeted = performance.now();
    if (tls === "starttls") {
      await this.#encrypt();
      await this.#sendHello();
    }
    if (login !== null) await this.#logIn(login);
  }

  async #connect(): Promise<void> {
    const { tls, address, port } = this.#server;
    const encryption = tls === "implicit" ? this.#tlsOptions() : undefined;
    const { connectMs: ms } = this.#timeouts;
    await this.#channel.connect({ address, port, ms, tls: encryption });
    this.times.connected = performance.now();
  }

  async #greet(): Promise<void> {
    this.phase = "greeting";
    this.greeting = await this.#channel.reply("greeting", this.#timeouts.greetingMs);
    this.#check(this.greeting);
    await this.#sendHello();
  }

  async #sendHello(): Promise<void> {
    this.phase = "ehlo";
    const reply = await this.#ask(`EHLO ${this.#ehloName}`);
    if (reply.code < 500) {
      this.#check(reply);
      this.offer = parseOffer(reply.lines);
      return;
    }
    // RFC 5321, section 3.2: a very old server.
    this.#check(await this.#ask(`HELO ${this.#ehloName}`));
    this.offer = NO_OFFER;
  }

  async #encrypt(): Promise<void> {
    this.phase = "tls";
    const tls = { kind: "not_offered" } as const;
    if (!this.offer.startTls) {
      throw new SmtpError("the server offers no STARTTLS", { phase: "tls", fault: "tls", tls });
    }
    const { commandMs } = this.#timeouts;
    const reply = await this.#channel.askLast("STARTTLS", "tls", commandMs);
    if (reply.code >= 300) {
      throw new SmtpError(reply.text, { phase: "tls", fault: "reply", reply, tls });
    }
    await this.#channel.encrypt(this.#tlsOptions(), commandMs);
    this.times.encrypted = performance.now();
  }

  async #logIn(login: SmtpLogin): Promise<void> {
    this.phase = "auth";
    if (this.offer.auth.length === 0) {
      throw new SmtpError("the server offers no login", { phase: "auth", fault: "no_auth" });
    }
    this.loggedIn = await logIn(login, this.offer.auth, (line) => this.#ask(line));
  }

  #ask(line: string): Promise<SmtpReply> {
    return this.#channel.ask(line, this.phase, this.#timeouts.commandMs);
  }

  #check(reply: SmtpReply): void {
    if (reply.code < 300) return;
    throw new SmtpError(reply.text, { phase: this.phase, fault: "reply", reply });
  }

  #tlsOptions(): ConnectionOptions {
    const { host, address, ca, allowInvalidCertificate } = this.#server;
    return {
      // An IP address is compared with the certificate as such.
      host: address,
      minVersion: "TLSv1.2",
      ciphers: STRANGERS_CIPHERS,
      rejectUnauthorized: allowInvalidCertificate !== true,
      ...(isIP(host) ? {} : { servername: host }),
      ...(ca === undefined ? {} : { ca }),
    };
  }
}
