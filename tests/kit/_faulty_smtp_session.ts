import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import type { Socket } from "node:net";
import { type SecureContext, TLSSocket } from "node:tls";
import { ContentReader } from "./_faulty_smtp_content.ts";
import { misbehave } from "./_faulty_smtp_action.ts";
import type { FaultySmtpLimiter } from "./_faulty_smtp_limiter.ts";
import type { FaultySmtpOptions } from "./faulty_smtp_options.ts";
import type { FaultAction, FaultMoment, FaultPlan, FaultStage } from "./faulty_smtp_plan.ts";
import type { FaultySmtpRecord } from "./faulty_smtp_record.ts";

const LONGEST_COMMAND = 4_096;
const ending = Buffer.from("\r\n");

/** The server, as a session uses it. */
export interface FaultySmtpHost {
  readonly options: FaultySmtpOptions;
  readonly limiter: FaultySmtpLimiter;
  readonly context: SecureContext;
  decide(moment: Omit<FaultMoment, "before">): ReturnType<FaultPlan>;
  record(record: FaultySmtpRecord, raw: Buffer | null): void;
  /** Returns the next queue id of an accepted mail, from 1. */
  queueId(): number;
  violated(rule: string): void;
}

interface Transaction {
  from: string;
  to: string[];
  fault: FaultAction | null;
  faultStage: FaultStage | null;
  /** The content received after DATA was accepted. */
  content: ContentReader | undefined;
}

/** One connection to a faulty server: strictly RFC 5321, except for the faults of its plan. */
export class FaultySmtpSession {
  #raw: Socket;
  #socket: Socket;
  #host: FaultySmtpHost;
  #number: number;
  #open: number;
  #onOver: () => void;
  #input: Buffer = Buffer.alloc(0);
  #busy = false;
  #over = false;
  #client: string | null = null;
  #greeted = false;
  #secure = false;
  #stripped = false;
  #user: string | null = null;
  #awaited: ((line: string) => void) | undefined;
  #transaction: Transaction | undefined;
  #content: ContentReader | undefined;
  #bodyAction: FaultAction | undefined;
  /** The last mail whose reply is written but not sent yet: the next commands of its flight come first. */
  #unsent: { record: FaultySmtpRecord; raw: Buffer | null } | undefined;

  constructor(socket: Socket, { host, number, open, onOver }: {
    host: FaultySmtpHost;
    number: number;
    open: number;
    onOver: () => void;
  }) {
    this.#raw = socket;
    this.#socket = socket;
    this.#host = host;
    this.#number = number;
    this.#open = open;
    this.#onOver = onOver;
  }

  start(): void {
    this.#raw.on("close", () => this.#lost());
    const action = this.#decide("connect");
    if (action !== undefined) {
      this.#raw.on("end", () => this.#raw.end()).resume();
      return void this.#misbehave("connect", action, { reply: "" });
    }
    if (this.#host.options.tls === "implicit") return this.#encrypt(() => this.#greet());
    this.#listen();
    this.#greet();
  }

  #greet(): void {
    const refusal = this.#host.limiter.ofConnection(this.#open);
    this.#answer("greeting", refusal ?? "220 faulty.example.com ESMTP");
  }

  #listen(): void {
    this.#socket.on("data", (chunk: Buffer) => this.#take(chunk));
    this.#socket.on("end", () => this.#socket.end());
  }

  #take(chunk: Buffer): void {
    if (this.#over) return;
    this.#input = this.#input.length === 0 ? chunk : Buffer.concat([this.#input, chunk]);
    this.#socket.cork();
    this.#work();
    this.#recordUnsent();
    this.#socket.uncork();
  }

  #work(): void {
    while (!this.#busy && !this.#over && this.#input.length > 0) {
      if (this.#content !== undefined) {
        this.#readContent(this.#content);
        continue;
      }
      const [end, length] = this.#findLineEnd();
      if (end === -1) {
        if (this.#input.length > LONGEST_COMMAND) this.#end("500 5.5.2 Line too long");
        return;
      }
      const line = this.#input.toString("utf8", 0, end);
      this.#input = this.#input.subarray(end + length);
      if (line !== "" || !this.#host.options.lenient) this.#command(line);
    }
  }

  #findLineEnd(): [at: number, length: number] {
    if (!this.#host.options.lenient) return [this.#input.indexOf(ending), ending.length];
    const found = /\r\n|\r|\n/.exec(this.#input.toString("latin1"));
    return [found?.index ?? -1, found?.[0].length ?? 0];
  }

  #command(line: string): void {
    if (/[\r\n\0]/.test(line)) this.#host.violated(`control character in "${line.slice(0, 60)}"`);
    const awaited = this.#awaited;
    if (awaited !== undefined) {
      this.#awaited = undefined;
      return awaited(line);
    }
    const space = line.indexOf(" ");
    const verb = (space === -1 ? line : line.slice(0, space)).toUpperCase();
    const rest = space === -1 ? "" : line.slice(space + 1);
    switch (verb) {
      case "EHLO":
      case "HELO":
        this.#client = rest;
        return this.#hello(verb);
      case "STARTTLS":
        return this.#startTls();
      case "AUTH":
        return this.#auth(rest);
      case "MAIL":
        return this.#mail(rest);
      case "RCPT":
        return this.#rcpt(rest);
      case "DATA":
        return this.#data();
      case "RSET":
        this.#endTransaction();
        return this.#answer("rset", "250 2.0.0 OK");
      case "QUIT":
        this.#endTransaction();
        return this.#answer("quit", "221 2.0.0 Bye", () => this.#finish());
      case "NOOP":
        return this.#say("250 2.0.0 OK");
    }
    this.#violated(`500 5.5.2 Unknown command`, line);
  }

  #hello(verb: string): void {
    this.#endTransaction();
    const action = this.#decide("ehlo");
    if (action?.do === "strip") {
      this.#stripped = true;
      this.#report("ehlo", action);
    }
    const { tls, maxBytes, hide = [] } = this.#host.options;
    const methods = this.#methods();
    const mayLogin = methods.length > 0 && (this.#secure || tls === undefined || tls === "none");
    const keywords = verb === "HELO" ? [] : [
      ...["PIPELINING", "8BITMIME", "SMTPUTF8"].filter((word) => !hide.includes(word as "SIZE")),
      "ENHANCEDSTATUSCODES",
      ...(hide.includes("SIZE") ? [] : [`SIZE ${maxBytes ?? 0}`]),
      ...(tls === "starttls" && !this.#secure && !this.#stripped ? ["STARTTLS"] : []),
      ...(mayLogin ? [`AUTH ${methods.join(" ")}`] : []),
    ];
    const lines = ["faulty.example.com", ...keywords];
    const reply = lines.map((text, index) => `250${index < lines.length - 1 ? "-" : " "}${text}`);
    const good = () => void (this.#greeted = true);
    this.#respond("ehlo", reply.join("\r\n"), {
      good,
      action: action?.do === "strip" ? undefined : action,
    });
  }

  #startTls(): void {
    if (this.#host.options.tls !== "starttls" || this.#secure || this.#stripped) {
      return this.#say("502 5.5.1 No encryption here");
    }
    const upgrade = () => {
      this.#input = Buffer.alloc(0);
      this.#socket.uncork();
      this.#socket.removeAllListeners("data");
      this.#socket.removeAllListeners("end");
      this.#encrypt(() => {});
    };
    this.#answer("starttls", "220 2.0.0 Go ahead", upgrade);
  }

  /** Becomes a TLS server, or performs its plan's fault at the handshake. */
  #encrypt(then: () => void): void {
    const action = this.#decide("tls");
    if (action !== undefined) {
      this.#busy = true;
      this.#raw.on("end", () => this.#raw.end());
      return void this.#raw.once("data", () => {
        void this.#misbehave("tls", action, { reply: "not TLS at all" });
      });
    }
    const socket = new TLSSocket(this.#raw, {
      isServer: true,
      secureContext: this.#host.context,
    });
    socket.on("error", () => this.#raw.destroy());
    this.#socket = socket;
    this.#greeted = false;
    this.#listen();
    socket.once("secure", () => {
      this.#secure = true;
      then();
    });
  }

  /** Returns the mechanisms of logins. */
  #methods(): string[] {
    const { users, tokens } = this.#host.options;
    const byToken = tokens && (tokens.mechanisms ?? ["OAUTHBEARER", "XOAUTH2"]);
    return [...(users === undefined ? [] : ["PLAIN", "LOGIN"]), ...(byToken ?? [])];
  }

  #auth(rest: string): void {
    const { users = {} } = this.#host.options;
    const [method = "", initial] = rest.split(" ");
    if (this.#user !== null || this.#methods().length === 0) {
      return this.#violated("503 5.5.1 No login here", `AUTH ${method}`);
    }
    if (!this.#methods().includes(method.toUpperCase())) {
      return this.#say("504 5.5.4 Unknown method");
    }
    if (/^(?:XOAUTH2|OAUTHBEARER)$/i.test(method)) {
      return this.#authByToken(method.toUpperCase(), initial ?? "");
    }
    const check = (user: string, password: string) => {
      const known = Object.hasOwn(users, user) && users[user] === password;
      if (!known) return this.#answer("auth", "535 5.7.8 Authentication credentials invalid");
      this.#answer("auth", "235 2.7.0 Welcome", () => void (this.#user = user));
    };
    const plain = (text: string) => {
      const [, user = "", password = ""] = decoded(text).split("\0");
      check(user, password);
    };
    if (method.toUpperCase() === "PLAIN") {
      if (initial !== undefined) return plain(initial);
      this.#awaited = plain;
      return this.#say("334 ");
    }
    if (method.toUpperCase() !== "LOGIN") return this.#say("504 5.5.4 Unknown method");
    this.#awaited = (user) => {
      this.#awaited = (password) => check(decoded(user), decoded(password));
      this.#say("334 UGFzc3dvcmQ6");
    };
    this.#say("334 VXNlcm5hbWU6");
  }

  /** XOAUTH2, or OAUTHBEARER (RFC 7628). */
  #authByToken(method: string, initial: string): void {
    const { tokens } = this.#host.options;
    const [head = "", bearer = "", ...ends] = decoded(initial).split("\x01");
    const name = (method === "XOAUTH2" ? /^user=(.*)$/ : /^n,a=(.*),$/).exec(head)?.[1];
    const token = ends.join() === "," ? /^auth=Bearer (.+)$/.exec(bearer)?.[1] : undefined;
    if (name === undefined || token === undefined) {
      return this.#violated("501 5.5.2 Cannot decode", `AUTH ${method}`);
    }
    const user = method === "XOAUTH2" ? name : name.replaceAll("=2C", ",").replaceAll("=3D", "=");
    const verdict = tokens?.accepts(user, token) ?? false;
    if (verdict === true) {
      return this.#answer("auth", "235 2.7.0 Accepted", () => void (this.#user = user));
    }
    const refusal = verdict === false ? "535 5.7.8 Credentials not accepted" : verdict;
    if (tokens?.challenge === undefined) return this.#answer("auth", refusal);
    this.#awaited = (line) => {
      if (line !== (method === "XOAUTH2" ? "" : "AQ==")) this.#host.violated(`dismissal "${line}"`);
      this.#answer("auth", refusal);
    };
    const status = JSON.stringify({ status: tokens.challenge, schemes: "bearer", scope: "mail" });
    this.#say(`334 ${Buffer.from(status).toString("base64")}`);
  }

  #mail(rest: string): void {
    const { users, tokens, tls, maxBytes } = this.#host.options;
    const address = /^FROM:<([^<>]*)>(.*)$/i.exec(rest);
    if (address === null) return this.#violated("501 5.5.4 Syntax error", `MAIL ${rest}`);
    if (!this.#greeted || this.#transaction !== undefined) {
      return this.#violated("503 5.5.1 Bad sequence", `MAIL ${rest}`);
    }
    if (tls === "starttls" && !this.#secure) return this.#say("530 5.7.0 Issue STARTTLS first");
    const needsLogin = users !== undefined || tokens !== undefined;
    if (needsLogin && this.#user === null) return this.#say("530 5.7.0 Login first");
    const from = address[1] ?? "";
    const size = Number(/ SIZE=(\d+)/i.exec(address[2] ?? "")?.[1] ?? 0);
    if (maxBytes && size > maxBytes) return this.#say("552 5.3.4 Message too big");
    this.#transaction = { from, to: [], fault: null, faultStage: null, content: undefined };
    this.#answer("mail", "250 2.1.0 OK", undefined, from);
  }

  #rcpt(rest: string): void {
    const transaction = this.#transaction;
    const to = /^TO:<([^<>]+)>/i.exec(rest)?.[1];
    if (to === undefined) return this.#violated("501 5.5.4 Syntax error", `RCPT ${rest}`);
    if (transaction === undefined) return this.#say("503 5.5.1 MAIL first");
    const refusal = this.#host.limiter.ofRecipient(transaction.from, to);
    const take = () => void transaction.to.push(to);
    if (refusal !== undefined) this.#answer("rcpt", refusal, undefined, to);
    else this.#answer("rcpt", "250 2.1.5 OK", take, to);
  }

  #data(): void {
    const transaction = this.#transaction;
    if (transaction === undefined || transaction.to.length === 0) {
      return this.#say(transaction ? "554 5.5.1 No valid recipients" : "503 5.5.1 MAIL first");
    }
    const address = transaction.to[0] ?? "";
    const begin = () => {
      transaction.content = new ContentReader({ lenient: this.#host.options.lenient === true });
      this.#content = transaction.content;
      this.#bodyAction = this.#decide("body", address);
    };
    this.#answer("data", "354 End data with <CR><LF>.<CR><LF>", begin, address);
  }

  #readContent(content: ContentReader): void {
    const rest = content.take(this.#input);
    this.#input = rest ?? Buffer.alloc(0);
    const action = this.#bodyAction;
    if (action !== undefined && content.bytes >= (action.atByte ?? 1)) {
      this.#bodyAction = undefined;
      return void this.#misbehave("body", action, { reply: "" });
    }
    if (rest !== undefined) this.#dot(content);
  }

  #dot(content: ContentReader): void {
    const { maxBytes = Infinity } = this.#host.options;
    const transaction = this.#transaction;
    if (transaction === undefined) return;
    for (const rule of content.violations) this.#host.violated(rule);
    const right = content.bytes > maxBytes
      ? "552 5.3.4 Message too big"
      : `250 2.0.0 OK queued as ${this.#host.queueId()}`;
    const action = this.#decide("dot", transaction.to[0] ?? "", content.messageId);
    this.#content = undefined;
    if (action === undefined) {
      this.#settle(transaction, right, this.#raw.destroyed);
      return this.#say(right);
    }
    transaction.fault = action;
    transaction.faultStage = "dot";
    // The same moment decides both: until the last byte of a reply is out there is none.
    const settle = (reply: string | null, ambiguous: boolean) =>
      this.#settle(transaction, reply, ambiguous);
    void this.#misbehave("dot", action, { reply: right, settle });
  }

  #settle(transaction: Transaction, reply: string | null, ambiguous: boolean): void {
    if (this.#transaction !== transaction) return;
    this.#transaction = undefined;
    const { content } = transaction;
    const raw = content?.finished ? content.raw() : null;
    const record = {
      at: new Date().toISOString(),
      session: this.#number,
      client: this.#client,
      user: this.#user,
      from: transaction.from,
      to: transaction.to,
      messageId: content?.messageId ?? null,
      sha256: raw && createHash("sha256").update(raw).digest("hex"),
      bytes: content?.bytes ?? 0,
      finalDot: raw !== null,
      reply,
      ambiguous: raw !== null && ambiguous,
      fault: transaction.fault && nameOf(transaction.faultStage, transaction.fault),
      faultStage: transaction.faultStage,
    };
    this.#recordUnsent();
    if (reply !== null && this.#socket.writableCorked > 0) this.#unsent = { record, raw };
    else this.#host.record(record, raw);
  }

  #recordUnsent(changes: Partial<FaultySmtpRecord> = {}): void {
    const unsent = this.#unsent;
    this.#unsent = undefined;
    if (unsent !== undefined) this.#host.record({ ...unsent.record, ...changes }, unsent.raw);
  }

  /** Ends a transaction without a dot; it is recorded if it was more than a refusal. */
  #endTransaction(): void {
    const transaction = this.#transaction;
    if (transaction === undefined) return;
    this.#content = undefined;
    if (transaction.fault === null && transaction.content === undefined) {
      this.#transaction = undefined;
    } else this.#settle(transaction, null, true);
  }

  #lost(): void {
    this.#over = true;
    this.#endTransaction();
  }

  #answer(stage: FaultStage, reply: string, good?: () => void, address = ""): void {
    const action = this.#decide(stage, address);
    this.#respond(stage, reply, { action, ...(good === undefined ? {} : { good }) });
  }

  #respond(
    stage: FaultStage,
    reply: string,
    { good, action }: { good?: () => void; action: FaultAction | undefined },
  ): void {
    if (action !== undefined) {
      return void this.#misbehave(stage, action, { reply, ...(good ? { good } : {}) });
    }
    this.#say(reply);
    good?.();
    if (reply.startsWith("421")) this.#finish();
    else if (stage === "mail" && !reply.startsWith("2")) this.#transaction = undefined;
  }

  async #misbehave(
    stage: FaultStage,
    action: FaultAction,
    { reply, good, settle }: {
      reply: string;
      good?: () => void;
      settle?: (reply: string | null, ambiguous: boolean) => void;
    },
  ): Promise<void> {
    this.#busy = true;
    // A reset discards the reply, too.
    const isCut = action.do === "reset";
    const cut = { ambiguous: true, fault: "dot reply_then_reset", faultStage: "dot" } as const;
    this.#recordUnsent(isCut ? cut : {});
    if (settle === undefined) this.#report(stage, action);
    const done = await misbehave(action, {
      socket: this.#socket,
      raw: this.#raw,
      reply,
      settle: settle ?? (() => {}),
      good: good ?? (() => {}),
    });
    if (stage === "mail" && done.refused) this.#endTransaction();
    // A reply inside of the content comes too early: nothing follows it.
    if (done.over || (stage === "body" && action.do === "reply")) {
      this.#over = true;
      return;
    }
    this.#busy = false;
    if (stage === "body" && this.#content?.finished) this.#dot(this.#content);
    this.#work();
  }

  /** Records a fault: with its transaction if there is one, otherwise immediately. */
  #report(stage: FaultStage, action: FaultAction): void {
    if (this.#transaction !== undefined) {
      this.#transaction.fault = action;
      this.#transaction.faultStage = stage;
      return;
    }
    this.#host.record({
      at: new Date().toISOString(),
      session: this.#number,
      client: this.#client,
      user: this.#user,
      ...{ from: null, to: [], messageId: null, sha256: null, bytes: 0 },
      ...{ finalDot: false, reply: null, ambiguous: false },
      fault: nameOf(stage, action),
      faultStage: stage,
    }, null);
  }

  #decide(stage: FaultStage, address = "", messageId: string | null = null) {
    return this.#host.decide({ stage, session: this.#number, address, messageId });
  }

  #violated(reply: string, line: string): void {
    this.#host.violated(line.slice(0, 100));
    this.#say(reply);
  }

  #say(reply: string): void {
    if (this.#socket.writable) this.#socket.write(`${reply}\r\n`);
  }

  #end(reply: string): void {
    this.#say(reply);
    this.#finish();
  }

  #finish(): void {
    this.#over = true;
    this.#onOver();
    this.#socket.end();
  }
}

function nameOf(stage: FaultStage | null, action: FaultAction): string {
  const details = Object.entries(action).filter(([key]) => key !== "do").map(([, value]) => value);
  return [stage, action.do, ...details].join(" ");
}

function decoded(base64: string): string {
  return Buffer.from(base64, "base64").toString();
}
