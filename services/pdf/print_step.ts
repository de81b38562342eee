import {
  type EventData,
  MAX_MESSAGES_PER_EVENT,
  messageIdOf,
  type StageLine,
} from "@posthaste/contracts";
import { openSemaphore } from "@posthaste/limits";
import {
  type Delivery,
  failuresOf,
  fitsEvent,
  type MessageStatusEvent,
  type MessageWithBytes,
  readTail,
  reportsOf,
  splitIntoEvents,
  statusFieldsOf,
  type Step,
} from "@posthaste/messaging";
import { allEnded, failpoint } from "@posthaste/runtime";
import { addSpanAttributes } from "@posthaste/telemetry";
import type { PdfBrowser } from "./browser.ts";
import { creationTime } from "./neutral_pdf.ts";
import { PrintError } from "./print_error.ts";
import { printKey } from "./print_key.ts";
import { openPrinter, type PrinterDeps, type Printing } from "./print_once.ts";
import { loadAppended, loadInvoice, MissingContentError, textOf } from "./text_of.ts";

/** The dependencies of the step. */
export interface PrintDeps extends PrinterDeps {
  browser: Pick<PdfBrowser, "print" | "engine">;
  /** Loads a text that was too large for its event. */
  loadContent(key: string): Promise<string | undefined>;
  now(): Date;
  /** Maximum number of events of transactional priority in flight. */
  transactionalPlaces: number;
}

const MAX_CRASHES_KEPT = 1000;

type RenderedEvent = EventData<"messages.rendered">;
type RenderedWithBytes = MessageWithBytes<"messages.rendered">;

/** A message and the sources of its PDFs, which may be gone. */
interface Sources {
  message: RenderedWithBytes;
  printings: Printing[];
  isMissing?: true;
}

/** A message with its PDFs: in the store, or their bytes. */
type PrintedWithBytes = MessageWithBytes<"messages.printed">;

/** The result for one message: its PDFs, its failure, or neither if it will be rendered again. */
interface Result {
  printed?: PrintedWithBytes;
  failures?: MessageStatusEvent[];
}

/**
 * Prints the PDFs of messages. A PDF of one recipient travels in its event. A PDF that several share, or that
 * is too large for an event, goes into the object store, and is not printed again if it is there.
 */
export function printStep(deps: PrintDeps): Step<"messages.rendered"> {
  const printer = openPrinter(deps);
  // One account alone may use half, two a third each, so there is always room for one more.
  const share = openSemaphore({ max: deps.transactionalPlaces, maxPerOwner: (free) => free });
  /** Why redelivered messages failed here before. */
  const crashes = new Map<string, string>();
  return {
    name: "pdf.print",
    handle: async (delivery, signal) => {
      const { data } = delivery;
      failpoint("pdf.received");
      using place = share.tryAcquire(data.accountId, isUnbounded(data) ? 1 : 0);
      // The queue is first in, first out: one account's backlog would delay all others.
      if (place === undefined) {
        return { type: "done", publish: reportsOf(returned(data, deps.now())) };
      }
      const { messages, ...send } = data;
      addSpanAttributes({
        "posthaste.send.id": data.sendId,
        "posthaste.recipient.count": messages.length,
        "posthaste.attachment.count": messages.reduce((sum, { pdfs }) => sum + pdfs.length, 0),
      });
      try {
        const withBytes = readTail(messages, delivery.tail);
        const sources = await allEnded(withBytes, (message) => sourcesOf(message, data));
        const keys = sources.flatMap(({ printings }) => printings.map(({ key }) => key));
        const isShared = (wanted: Printing) =>
          keys.indexOf(wanted.key) !== keys.lastIndexOf(wanted.key) || printer.isKnown(wanted);
        // Before the first print, so that all are known.
        const ways = new Map(
          sources.flatMap(({ printings }) => printings).map((one) => [one, isShared(one)]),
        );
        const results = await allEnded(
          sources,
          (one) => printOne(one, { delivery, signal, isShared: (of) => ways.get(of) ?? false }),
        );
        return {
          type: "done",
          publish: [
            ...splitIntoEvents("messages.printed", send, {
              messages: results.flatMap(({ printed }) => printed ?? []),
              maxCount: MAX_MESSAGES_PER_EVENT,
            }),
            ...reportsOf(results.flatMap(({ failures = [] }) => failures)),
          ],
        };
      } catch (error) {
        if (!(error instanceof PrintError)) throw error;
        return { type: "retry", reason: error, outage: isOutage(error) };
      }
    },
    giveUp: ({ data }, reason) => ({
      publish: reportsOf(data.messages.flatMap((message) => {
        const messageId = messageIdOf(data.sendId, message.index);
        const crash = crashes.get(messageId);
        crashes.delete(messageId);
        const full = crash === undefined ? reason : `${crash}, ${reason}`;
        return unprinted(data, message, { reason: full, now: deps.now() });
      })),
    }),
  };

  async function sourcesOf(
    message: RenderedWithBytes,
    { accountId, priority, acceptedAt }: RenderedEvent,
  ): Promise<Sources> {
    const madeAt = creationTime(new Date(acceptedAt));
    try {
      const printings = await Promise.all(message.pdfs.map(async (pdf): Promise<Printing> => {
        const html = await textOf(pdf.html, deps.loadContent);
        const invoice = await loadInvoice(pdf.invoice, deps.loadContent);
        const append = await loadAppended(pdf.append, deps.loadContent);
        const { engine } = deps.browser;
        const { page, encryption } = pdf;
        const key = printKey({
          accountId,
          html,
          page,
          invoice,
          encryption,
          append,
          madeAt,
          engine,
        });
        return { key, html, invoice, append, madeAt, pdf, asker: { accountId, priority } };
      }));
      return { message, printings };
    } catch (error) {
      if (!(error instanceof MissingContentError)) throw error;
      // The store is a cache: the reconciler finds the message and has it rendered again.
      addSpanAttributes({ "error.type": "not_found" });
      return { message, printings: [], isMissing: true };
    }
  }

  /** @throws {PrintError} If it may be printed later. */
  async function printOne(
    { message, printings, isMissing }: Sources,
    { delivery: { data: send, isAgain = false }, signal, isShared }: {
      delivery: Delivery<"messages.rendered">;
      signal: AbortSignal;
      isShared(wanted: Printing): boolean;
    },
  ): Promise<Result> {
    if (isMissing) return {};
    const started = performance.now();
    const { pdfs: _, ...rest } = message;
    // It may be in the store from before, and printing it again is expensive.
    const looks = isAgain || send.redelivered === true || message.attempt > 0;
    const intoStore = async (wanted: Printing, bytes?: Buffer) => {
      const size = await printer.store(wanted, { signal, looks, bytes });
      return { filename: wanted.pdf.filename, key: wanted.key, size };
    };
    try {
      const own = new Map<Printing, Buffer>();
      let attachments: PrintedWithBytes["attachments"] = await Promise.all(
        printings.map(async (wanted) => {
          if (looks || isShared(wanted)) return await intoStore(wanted);
          const bytes = await printer.print(wanted, signal);
          own.set(wanted, bytes);
          return { filename: wanted.pdf.filename, bytes };
        }),
      );
      const warning = warningOf(
        await Promise.all(printings.map((wanted) => printer.marksOf(wanted, signal))),
      );
      const durationMs = performance.now() - started;
      const at = deps.now().toISOString();
      const line = { type: "printed" as const, at, durationMs, ...warning };
      const printed = { ...rest, timeline: [...rest.timeline ?? [], line] };
      if (!fitsEvent({ ...printed, attachments })) {
        attachments = await Promise.all(
          printings.map((wanted) => intoStore(wanted, own.get(wanted))),
        );
      }
      return { printed: { ...printed, attachments } };
    } catch (error) {
      if (!(error instanceof PrintError)) throw error;
      if (!error.retryable) {
        return { failures: unprinted(send, message, { reason: error.reason, now: deps.now() }) };
      }
      if (error.code === "crashed") {
        if (crashes.size >= MAX_CRASHES_KEPT) crashes.clear();
        crashes.set(messageIdOf(send.sendId, message.index), error.reason);
      }
      throw error;
    }
  }
}

/** The longest sentence of a warning, in characters: it travels with the message. */
const MAX_WARNING_LENGTH = 500;

/** Returns the warning about PDFs that show empty boxes, from the characters of each; none without any. */
function warningOf(marks: readonly (readonly string[])[]): Pick<StageLine, "warning" | "detail"> {
  const found = marks.flatMap((listed, position) =>
    listed.length === 0 ? [] : [`PDF ${position + 1}: ${listed.join(", ")}`]
  );
  if (found.length === 0) return {};
  const detail = `No font has a glyph (missing_glyphs). ${found.join("; ")}`;
  return { warning: "missing_glyphs", detail: detail.slice(0, MAX_WARNING_LENGTH).toWellFormed() };
}

/** Returns whether nobody bounds such messages in flight. The scheduler bounds bulk, and later attempts. */
function isUnbounded({ priority, messages }: RenderedEvent): boolean {
  return priority === "transactional" && messages.every(({ attempt }) => attempt === 0);
}

/** Returns the messages to the scheduler, which dispatches them with bulk priority as earlier mail goes out. */
function returned(data: RenderedEvent, now: Date): MessageStatusEvent[] {
  const { integrationId, insteadOf, acceptedAt } = data;
  return data.messages.map((message) => ({
    type: "status.message.returned",
    data: {
      ...statusFieldsOf(data, message, now),
      ...{ stage: "pdf", integrationId, acceptedAt },
      ...(insteadOf === undefined ? {} : { insteadOf }),
    },
  }));
}

function isOutage(error: PrintError): boolean {
  return error.code === "unavailable" || error.code === "aborted";
}

/** Reports a message one of whose PDFs could not be printed. */
function unprinted(
  send: Pick<RenderedEvent, "sendId" | "accountId">,
  message: Pick<RenderedWithBytes, "index" | "attempt">,
  { reason: why, now }: { reason: string; now: Date },
): MessageStatusEvent[] {
  const reason = `A PDF could not be printed: ${why}`;
  return failuresOf(send, [message], { stage: "pdf", reason, at: now });
}
