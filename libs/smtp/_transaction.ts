import { isAscii } from "node:buffer";
import type { Buffer } from "node:buffer";
import type { ReplyChannel } from "./_reply_channel.ts";
import type { SmtpReply } from "./reply_parser.ts";
import type { ServerOffer } from "./server_offer.ts";
import { SmtpError, type SmtpPhase } from "./smtp_error.ts";
import type { SmtpTimeouts } from "./smtp_timeouts.ts";
import { finalDot, stuffDots } from "./stuff_dots.ts";

/** One mail for one recipient, and its copies. */
export interface SmtpMail {
  /** One address, in its form on the wire. */
  readonly from: string;
  readonly to: string;
  /** Further addresses that get it in the same transaction. */
  readonly copies?: readonly string[] | undefined;
  /**
   * Called for each copy that the server refuses. Returns whether to send the mail without it.
   *
   * @default {() => false}
   */
  readonly goesWithout?: ((copy: string, reply: SmtpReply) => boolean) | undefined;
  /** Whether an address is not ASCII: the server must offer SMTPUTF8. */
  readonly needsSmtpUtf8?: boolean | undefined;
  /** The whole mail, with CRLF line ends and without dot-stuffing. */
  readonly raw: Buffer;
  /** Called with the server's 354, before the content is sent. */
  readonly onData?: (() => void) | undefined;
  /**
   * Called when the content is sent. The final dot waits until it resolves; if it rejects, the dot is never
   * sent.
   */
  readonly beforeDot?: (() => Promise<void>) | undefined;
  /** Called when the final dot was sent. */
  readonly onDot?: (() => void) | undefined;
}

/** The parts of its connection that a transaction needs. */
export interface TransactionContext {
  readonly channel: ReplyChannel;
  readonly offer: ServerOffer;
  readonly timeouts: SmtpTimeouts;
  readonly pipelines: boolean;
  /** An earlier transaction must be reset first. */
  readonly resets: boolean;
  /** Called just before the final dot: commands written now join its flight. */
  readonly onDot: () => void;
}

/** How a transaction ended. */
export interface Ending {
  readonly result: SmtpReply | SmtpError;
  /** The state of the connection afterwards. */
  readonly leaves: "ready" | "to_reset" | "over";
}

type Step = "reset" | "mail" | "rcpt" | "data" | { readonly copy: string };

/** The content is sent in pieces of this many bytes, so that slow progress is visible. */
const PIECE_BYTES = 64 * 1024;

/** A reply that came with the 354, and belongs to something else, must be read before the dot is sent. */
const NEXT_TURN = Promise.resolve();

const CONTROL = /[\r\n\0<>]/;

function phaseOf(step: Step): "mail" | "rcpt" | "data" {
  if (typeof step === "object") return "rcpt";
  return step === "reset" ? "mail" : step;
}

/** Checks addresses. @throws {RangeError} If an address could end its command. */
export function checkAddresses(
  { from, to, copies = [] }: Pick<SmtpMail, "from" | "to" | "copies">,
): void {
  for (const address of [from, to, ...copies]) {
    if (CONTROL.test(address)) {
      throw new RangeError(`Cannot use ${JSON.stringify(address)}: it is not one address`);
    }
  }
}

/** One mail in transit on one connection. */
export class Transaction {
  /** Its current phase. */
  phase: SmtpPhase = "mail";
  readonly #mail: SmtpMail;
  readonly #context: TransactionContext;
  readonly #onEnd: (ending: Ending) => void;
  readonly #steps: Step[];
  #refusal: SmtpError | undefined;
  /** The number of awaited replies to one flight. */
  #awaited = 0;
  #isMailTaken = false;
  #isOver = false;

  constructor(mail: SmtpMail, context: TransactionContext, onEnd: (ending: Ending) => void) {
    this.#mail = mail;
    this.#context = context;
    this.#onEnd = onEnd;
    const copies = (mail.copies ?? []).map((copy) => ({ copy }));
    this.#steps = [
      ...(context.resets ? ["reset" as const] : []),
      "mail",
      "rcpt",
      ...copies,
      "data",
    ];
  }

  /**
   * Sends the first command or, with PIPELINING, all commands that fit into one flight (RFC 2920, section
   * 3.1).
   */
  start(): void {
    const { channel, pipelines } = this.#context;
    const said = this.#steps.splice(0, pipelines ? this.#flight() : 1);
    this.#awaited = said.length;
    channel.write(said.map((step) => this.#commandOf(step)).join(""));
    for (const step of said) this.#expect(step);
  }

  /**
   * Returns how many commands go in one flight. With copies, DATA follows the replies to all addresses: if
   * one of them stops the mail, the server must not wait for a content.
   */
  #flight(): number {
    const { length } = this.#steps;
    return this.#mail.copies?.length && length > 1 ? length - 1 : length;
  }

  /** Ends it, before its dot, without another command. */
  abandon(error: SmtpError): void {
    this.#end(error, "over");
  }

  #expect(step: Step): void {
    const { channel, timeouts } = this.#context;
    channel.await({
      phase: phaseOf(step),
      ms: step === "data" ? timeouts.dataMs : timeouts.commandMs,
      take: (reply) => this.#take(step, reply),
      fail: (error) => this.#end(this.#refusal ?? error, "over"),
    });
  }

  #commandOf(step: Step): string {
    const { from, to } = this.#mail;
    if (typeof step === "object") return `RCPT TO:<${step.copy}>\r\n`;
    switch (step) {
      case "reset":
        return "RSET\r\n";
      case "mail":
        return `MAIL FROM:<${from}>${this.#parameters()}\r\n`;
      case "rcpt":
        return `RCPT TO:<${to}>\r\n`;
      case "data":
        return "DATA\r\n";
    }
  }

  #parameters(): string {
    const { raw, needsSmtpUtf8 } = this.#mail;
    const { size, eightBitMime } = this.#context.offer;
    return (size ? ` SIZE=${raw.length}` : "") +
      (eightBitMime && !isAscii(raw) ? " BODY=8BITMIME" : "") +
      (needsSmtpUtf8 ? " SMTPUTF8" : "");
  }

  #take(step: Step, reply: SmtpReply): void {
    if (this.#isOver) return;
    const isRefused = reply.code >= 400;
    if (step === "reset") {
      // This concerns the session, not this mail.
      if (reply.code >= 300) return this.#break("lost", "its session could not be reset");
    } else if (isRefused) {
      this.phase = this.#refusal?.phase ?? phaseOf(step);
      if (typeof step === "string") this.#refusal ??= this.#refusedBy(reply);
      else this.#refuseCopy(step.copy, reply);
      // It closes, whatever command came before.
      if (reply.code === 421) return this.#end(this.#refusal ?? this.#refusedBy(reply), "over");
    } else if ((step === "data") !== (reply.code >= 300)) {
      const said = phaseOf(step).toUpperCase();
      return this.#break("out_of_order", `"${reply.text}" is not a reply to ${said}`);
    } else if (step === "mail") this.#isMailTaken = true;
    this.#goOn(step, isRefused);
  }

  #goOn(step: Step, isRefused: boolean): void {
    const refusal = this.#refusal;
    if (step === "data") {
      if (refusal === undefined) return void this.#pour();
      // The server waits for a content that must not be sent: even an empty one would be a mail.
      return this.#end(refusal, !isRefused ? "over" : this.#isMailTaken ? "to_reset" : "ready");
    }
    if (refusal === undefined) this.phase = this.#after(step);
    if (--this.#awaited > 0) return;
    if (refusal !== undefined) return this.#end(refusal, this.#isMailTaken ? "to_reset" : "ready");
    this.start();
  }

  /** Handles a refused copy. If something else already stops the mail, copies no longer matter. */
  #refuseCopy(copy: string, reply: SmtpReply): void {
    if (this.#refusal !== undefined || this.#mail.goesWithout?.(copy, reply)) return;
    this.#refusal = new SmtpError(reply.text, {
      ...{ phase: "rcpt", fault: "reply", reply },
      isOfCopy: true,
    });
  }

  #after(step: Step): SmtpPhase {
    if (step === "reset") return "mail";
    return step === "mail" || typeof this.#steps[0] === "object" ? "rcpt" : "data";
  }

  async #pour(): Promise<void> {
    this.phase = "body";
    const { channel, timeouts } = this.#context;
    const { raw, onData, beforeDot } = this.#mail;
    const listener = {
      phase: "body",
      ms: timeouts.bodyMs,
      take: (reply: SmtpReply) => this.#interrupted(reply),
      fail: (error: SmtpError) => this.#end(error, "over"),
    } as const;
    channel.standBy(listener);
    try {
      onData?.();
      const content = stuffDots(raw);
      if (beforeDot === undefined && content.length <= PIECE_BYTES) {
        await NEXT_TURN;
        if (this.#isOver) return;
        return channel.combine(() => {
          channel.write(content);
          this.#sendDot(content);
        });
      }
      for (let start = 0; start < content.length; start += PIECE_BYTES) {
        const isLast = start + PIECE_BYTES >= content.length;
        const hasSpace = channel.write(
          isLast && start === 0 ? content : content.subarray(start, start + PIECE_BYTES),
        );
        if (hasSpace || isLast) continue;
        await new Promise<void>((resolve) => channel.onceDrained(resolve));
        channel.standBy(listener);
      }
      await (this.#isOver ? NEXT_TURN : beforeDot?.());
      if (!this.#isOver) this.#sendDot(content);
    } catch (cause) {
      this.#break("held", "the final dot was held back", cause);
    }
  }

  #sendDot(content: Buffer): void {
    const { channel, timeouts, onDot } = this.#context;
    this.phase = "dot";
    channel.standBy(undefined);
    channel.combine(() => {
      channel.write(finalDot(content));
      channel.await({
        phase: "dot",
        ms: timeouts.replyMs,
        take: (reply) => this.#answered(reply),
        fail: (error) => this.#end(error, "over"),
      });
      onDot();
    });
    this.#mail.onDot?.();
  }

  #answered(reply: SmtpReply): void {
    if (reply.code < 300) return this.#end(reply, "ready");
    const isOver = reply.code < 400 || reply.code === 421;
    this.#end(this.#refusedBy(reply), isOver ? "over" : "ready");
  }

  /** Handles a reply during the content: a refusal counts, and anything else belongs to something else. */
  #interrupted(reply: SmtpReply): void {
    if (reply.code >= 400) return this.#end(this.#refusedBy(reply), "over");
    this.#break("out_of_order", "the server answered before the mail was over");
  }

  #refusedBy(reply: SmtpReply): SmtpError {
    return new SmtpError(reply.text, { phase: this.phase, fault: "reply", reply });
  }

  #break(fault: "lost" | "out_of_order" | "held", reason: string, cause?: unknown): void {
    const error = new SmtpError(reason, { phase: this.phase, fault, cause });
    this.#end(this.#refusal ?? error, "over");
  }

  #end(result: SmtpReply | SmtpError, leaves: Ending["leaves"]): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onEnd({ result, leaves });
  }
}
