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
  type Outgoing,
  readTail,
  reportsOf,
  splitIntoEvents,
  statusFieldsOf,
  type Step,
} from "@posthaste/messaging";
import { allEnded, failpoint } from "@posthaste/runtime";
import { addSpanAttributes } from "@posthaste/telemetry";
import type { PdfBrowser } from "./browser.ts";
import { loadSources, type SourceDeps, type Sources } from "./load_sources.ts";
import { PrintError } from "./print_error.ts";
import { openPrinter, type Printer, type PrinterDeps, type Printing } from "./print_once.ts";

/** The dependencies of the step. */
export interface PrintDeps extends PrinterDeps, SourceDeps {
  browser: Pick<PdfBrowser, "print" | "engine">;
  now(): Date;
  /** Maximum number of events of transactional priority in flight. */
  transactionalPlaces: number;
}

const MAX_CRASHES_KEPT = 1000;

type RenderedEvent = EventData<"messages.rendered">;

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
      addSpanAttributes({
        "posthaste.send.id": data.sendId,
        "posthaste.recipient.count": data.messages.length,
        "posthaste.attachment.count": data.messages.reduce((sum, { pdfs }) => sum + pdfs.length, 0),
      });
      try {
        return { type: "done", publish: eventsOf(data, await printAll(delivery, signal)) };
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

  /** @throws {PrintError} If it may be printed later. */
  async function printAll(
    delivery: Delivery<"messages.rendered">,
    signal: AbortSignal,
  ): Promise<Result[]> {
    const { data, tail } = delivery;
    const messages = readTail(data.messages, tail);
    const sources = await allEnded(messages, (message) => loadSources(message, data, deps));
    // Before the first print, so that all are known.
    const shared = sharedOf(sources.flatMap(({ printings }) => printings), printer);
    return await allEnded(sources, (one) => printOne(one, { delivery, signal, shared }));
  }

  /** @throws {PrintError} If it may be printed later. */
  async function printOne(
    sources: Sources,
    { delivery: { data: send, isAgain = false }, signal, shared }: {
      delivery: Delivery<"messages.rendered">;
      signal: AbortSignal;
      shared: ReadonlySet<Printing>;
    },
  ): Promise<Result> {
    const { message, isMissing } = sources;
    if (isMissing) return {};
    // It may be in the store from before, and printing it again is expensive.
    const looks = isAgain || send.redelivered === true || message.attempt > 0;
    try {
      return {
        printed: await printMessage(sources, { signal, looks, shared }, { printer, ...deps }),
      };
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

/** Returns the PDFs that are among these more than once, or were requested recently. */
function sharedOf(printings: readonly Printing[], { isKnown }: Printer): ReadonlySet<Printing> {
  const keys = printings.map(({ key }) => key);
  const isTwice = (key: string) => keys.indexOf(key) !== keys.lastIndexOf(key);
  return new Set(printings.filter((one) => isTwice(one.key) || isKnown(one)));
}

/**
 * Prints the PDFs of one message. They go into the store if several messages share them, if they may be there
 * from before, or if the message is too large for an event with them.
 *
 * @throws {PrintError}
 */
async function printMessage(
  { message: { pdfs: _, ...message }, printings }: Sources,
  { signal, looks, shared }: {
    signal: AbortSignal;
    looks: boolean;
    shared: ReadonlySet<Printing>;
  },
  { printer, now }: { printer: Printer; now(): Date },
): Promise<PrintedWithBytes> {
  const started = performance.now();
  const intoStore = async (wanted: Printing, bytes?: Buffer) => {
    const size = await printer.store(wanted, { signal, looks, bytes });
    return { filename: wanted.pdf.filename, key: wanted.key, size };
  };
  const own = new Map<Printing, Buffer>();
  const attachments: PrintedWithBytes["attachments"] = await Promise.all(
    printings.map(async (wanted) => {
      if (looks || shared.has(wanted)) return await intoStore(wanted);
      const bytes = await printer.print(wanted, signal);
      own.set(wanted, bytes);
      return { filename: wanted.pdf.filename, bytes };
    }),
  );
  const warning = warningOf(
    await Promise.all(printings.map((wanted) => printer.marksOf(wanted, signal))),
  );
  const durationMs = performance.now() - started;
  const line = { type: "printed" as const, at: now().toISOString(), durationMs, ...warning };
  const printed = { ...message, timeline: [...message.timeline ?? [], line] };
  if (fitsEvent({ ...printed, attachments })) return { ...printed, attachments };
  const stored = await Promise.all(printings.map((wanted) => intoStore(wanted, own.get(wanted))));
  return { ...printed, attachments: stored };
}

/** Returns the events that carry messages on to the mailer, and the status events of the others. */
function eventsOf({ messages: _, ...send }: RenderedEvent, results: readonly Result[]): Outgoing[] {
  return [
    ...splitIntoEvents("messages.printed", send, {
      messages: results.flatMap(({ printed }) => printed ?? []),
      maxCount: MAX_MESSAGES_PER_EVENT,
    }),
    ...reportsOf(results.flatMap(({ failures = [] }) => failures)),
  ];
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
  message: Pick<Sources["message"], "index" | "attempt">,
  { reason: why, now }: { reason: string; now: Date },
): MessageStatusEvent[] {
  const reason = `A PDF could not be printed: ${why}`;
  return failuresOf(send, [message], { stage: "pdf", reason, at: now });
}
