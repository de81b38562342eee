import {
  type EventData,
  messageIdOf,
  type PrintedMessage,
  type RenderedMessage,
} from "@posthaste/contracts";
import { openSemaphore } from "@posthaste/limits";
import { type MessageFact, type ObjectStore, reportsOf, type Step } from "@posthaste/messaging";
import { allEnded, crashPoint } from "@posthaste/runtime";
import { addSpanAttributes, count } from "@posthaste/telemetry";
import type { PdfBrowser } from "./browser.ts";
import type { Asker } from "./fair_slots.ts";
import { PrintError } from "./print_error.ts";
import { printKey } from "./print_key.ts";
import { printMeasured } from "./print_measured.ts";
import { MissingContentError, textOf } from "./text_of.ts";
import { told } from "./told.ts";

/** What the step needs from the outside. */
export interface PrintDeps {
  browser: Pick<PdfBrowser, "print" | "engine">;
  pdfs: Pick<ObjectStore, "sizeOf" | "put">;
  /** Loads a text that was too large for its event. */
  loadContent(key: string): Promise<string | undefined>;
  now(): Date;
  /** How many events of transactional priority are in hand at most. */
  transactionalPlaces: number;
}

const MAX_CRASHES_KEPT = 1000;

type Rendered = EventData<"messages.rendered">;
type PdfSource = RenderedMessage["pdfs"][number];

/** What became of one message: its PDFs are there, it failed, or what it is made of is gone. */
type Printed = { message: PrintedMessage } | { fact: MessageFact } | "missing";

/** Prints the PDFs of messages into the object store; what lies there already is not printed again. */
export function printStep(deps: PrintDeps): Step<"messages.rendered"> {
  const sizeOf = openPrinter(deps);
  // One account alone gets half, two get a third each, and there is always room for one more.
  const share = openSemaphore({ max: deps.transactionalPlaces, maxPerOwner: (free) => free });
  /** Why messages that come again have failed here before. */
  const crashes = new Map<string, string>();
  return {
    name: "pdf.print",
    handle: async ({ data }, signal) => {
      crashPoint("pdf.received");
      using place = share.tryAcquire(data.accountId, data.priority === "bulk" ? 0 : 1);
      // The queue is first come, first served: one account's backlog would stand before all others.
      if (place === undefined) {
        return { type: "done", publish: [{ type: "messages.rendered", data: slowed(data) }] };
      }
      const { messages, ...send } = data;
      addSpanAttributes({
        "posthaste.send.id": data.sendId,
        "posthaste.recipient.count": messages.length,
        "posthaste.attachment.count": messages.reduce((sum, { pdfs }) => sum + pdfs.length, 0),
      });
      try {
        const results = await allEnded(messages, (message) => printOne(message, data, signal));
        const printed = results.flatMap((one) =>
          typeof one === "object" && "message" in one ? [one.message] : []
        );
        const facts = results.flatMap((one) =>
          typeof one === "object" && "fact" in one ? [one.fact] : []
        );
        return {
          type: "done",
          publish: [
            ...(printed.length === 0
              ? []
              : [{ type: "messages.printed" as const, data: { ...send, messages: printed } }]),
            ...reportsOf(facts),
          ],
        };
      } catch (error) {
        if (!(error instanceof PrintError)) throw error;
        return { type: "retry", reason: error, outage: isOutage(error) };
      }
    },
    giveUp: ({ data }, reason) => ({
      publish: reportsOf(data.messages.map(({ index, attempt }) => {
        const messageId = messageIdOf(data.sendId, index);
        const crash = crashes.get(messageId);
        crashes.delete(messageId);
        const full = crash === undefined ? reason : `${crash}, ${reason}`;
        return failure(data, { index, attempt }, { reason: full, now: deps.now() });
      })),
    }),
  };

  /** @throws {PrintError} If it may be printed later. */
  async function printOne(
    message: RenderedMessage,
    send: Rendered,
    signal: AbortSignal,
  ): Promise<Printed> {
    const started = performance.now();
    const { pdfs, ...rest } = message;
    try {
      const attachments = await Promise.all(
        pdfs.map(async (pdf) => {
          const html = await textOf(pdf.html, deps.loadContent);
          const key = printKey({ html, page: pdf.page, engine: deps.browser.engine });
          const size = await sizeOf({ key, html, pdf, asker: send }, signal);
          return { filename: pdf.filename, key, size };
        }),
      );
      const durationMs = performance.now() - started;
      const line = { type: "printed" as const, at: deps.now().toISOString(), durationMs };
      return { message: { ...rest, attachments, timeline: [...rest.timeline ?? [], line] } };
    } catch (error) {
      if (error instanceof MissingContentError) {
        // The store is a cache: the sweeper finds the message and has it rendered again.
        addSpanAttributes({ "error.type": "not_found" });
        return "missing";
      }
      if (!(error instanceof PrintError)) throw error;
      if (!error.retryable) {
        return { fact: failure(send, message, { reason: error.reason, now: deps.now() }) };
      }
      if (error.code === "crashed") {
        if (crashes.size >= MAX_CRASHES_KEPT) crashes.clear();
        crashes.set(messageIdOf(send.sendId, message.index), error.reason);
      }
      throw error;
    }
  }
}

interface Printing {
  key: string;
  html: string;
  pdf: PdfSource;
  asker: Asker;
}

/**
 * Twins in flight wait for the first of them; the others are found in the store. None waits for a twin
 * of the other priority: that may have to wait for long.
 */
function openPrinter({ browser, pdfs }: PrintDeps) {
  const inFlight = new Map<string, Promise<number>>();

  async function sizeOf({ key, html, pdf, asker }: Printing, signal: AbortSignal): Promise<number> {
    const known = await pdfs.sizeOf(key);
    count("posthaste.print.cache", 1, {
      "posthaste.outcome": known === undefined ? "miss" : "hit",
    });
    if (known !== undefined) return known;
    const { accountId, priority } = asker;
    const printed = await printMeasured(
      browser,
      { name: pdf.filename, html, page: pdf.page },
      { signal, asker: { accountId, priority } },
    );
    if (pdf.page.missing !== "leave_out" && printed.blocked.length > 0) {
      throw new PrintError({ name: pdf.filename, code: "blocked", reason: told(printed.blocked) });
    }
    await pdfs.put(key, printed.pdf);
    crashPoint("pdf.after_store");
    return printed.pdf.length;
  }

  return (printing: Printing, signal: AbortSignal): Promise<number> => {
    const place = `${printing.asker.priority} ${printing.key}`;
    const running = inFlight.get(place);
    if (running !== undefined) return running;
    const started = sizeOf(printing, signal).finally(() => inFlight.delete(place));
    inFlight.set(place, started);
    return started;
  };
}

/** The same event with bulk priority, where it stays. */
function slowed(data: Rendered): Rendered {
  return { ...data, priority: "bulk" };
}

function isOutage(error: PrintError): boolean {
  return error.code === "unavailable" || error.code === "aborted";
}

function failure(
  { sendId, accountId }: Pick<Rendered, "sendId" | "accountId">,
  { index, attempt }: Pick<RenderedMessage, "index" | "attempt">,
  { reason, now }: { reason: string; now: Date },
): MessageFact {
  return {
    type: "status.message.failed",
    data: {
      ...{ messageId: messageIdOf(sendId, index), sendId, accountId, index, attempt },
      ...{ at: now.toISOString(), stage: "pdf" },
      reason: `A PDF could not be printed: ${reason}`,
    },
  };
}
