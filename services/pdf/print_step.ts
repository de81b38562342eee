import type { EventData } from "@posthaste/contracts";
import type { ObjectStore, Outgoing, Step } from "@posthaste/messaging";
import { crashPoint } from "@posthaste/runtime";
import { addSpanAttributes, count } from "@posthaste/telemetry";
import type { PdfBrowser } from "./browser.ts";
import type { Asker } from "./fair_slots.ts";
import { openLaneShare } from "./lane_share.ts";
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
  /** How many events of the transactional lane are in hand at most. */
  transactionalPlaces: number;
}

const MAX_CRASHES_KEPT = 1000;

type Rendered = EventData<"message.rendered">;
type PdfSource = Rendered["pdfs"][number];

/** Prints a message's PDFs into the object store; what lies there already is not printed again. */
export function printStep(deps: PrintDeps): Step<"message.rendered"> {
  const sizeOf = openPrinter(deps);
  const share = openLaneShare(deps.transactionalPlaces);
  /** Why messages that come again have failed here before. */
  const crashes = new Map<string, string>();
  return {
    name: "pdf.print",
    handle: async ({ data }, signal) => {
      crashPoint("pdf.received");
      const leave = data.lane === "bulk" ? () => undefined : share.enter(data.accountId);
      // The queue is first come, first served: one account's backlog would stand before all others.
      if (leave === undefined) {
        return { type: "done", publish: [{ type: "message.rendered", data: slowed(data) }] };
      }
      const started = performance.now();
      const { pdfs, ...message } = data;
      addSpanAttributes({
        "posthaste.message.id": data.messageId,
        "posthaste.attachment.count": pdfs.length,
      });
      try {
        const attachments = await Promise.all(
          pdfs.map(async (pdf) => {
            const html = await textOf(pdf.html, deps.loadContent);
            const key = printKey({ html, page: pdf.page, engine: deps.browser.engine });
            const size = await sizeOf({ key, html, pdf, asker: data }, signal);
            return { filename: pdf.filename, key, size };
          }),
        );
        const durationMs = performance.now() - started;
        const line = { type: "printed" as const, at: deps.now().toISOString(), durationMs };
        const timeline = [...message.timeline ?? [], line];
        return {
          type: "done",
          publish: [{ type: "message.printed", data: { ...message, attachments, timeline } }],
        };
      } catch (error) {
        if (error instanceof MissingContentError) {
          // The store is a cache: the sweeper finds the message and has it rendered again.
          addSpanAttributes({ "error.type": "not_found" });
          return { type: "done", publish: [] };
        }
        if (!(error instanceof PrintError)) throw error;
        if (error.retryable) {
          if (error.code === "crashed") {
            if (crashes.size >= MAX_CRASHES_KEPT) crashes.clear();
            crashes.set(data.messageId, error.reason);
          }
          return { type: "retry", reason: error, outage: isOutage(error) };
        }
        return { type: "done", publish: [failure(data, error.reason, deps.now())] };
      } finally {
        leave();
      }
    },
    giveUp: ({ data }, reason) => {
      const crash = crashes.get(data.messageId);
      crashes.delete(data.messageId);
      const full = crash === undefined ? reason : `${crash}, ${reason}`;
      return { publish: [failure(data, full, deps.now())] };
    },
  };
}

interface Printing {
  key: string;
  html: string;
  pdf: PdfSource;
  asker: Asker;
}

/**
 * Twins in flight wait for the first of them; the others are found in the store. None waits for a twin
 * of the other lane: that may have to wait for long.
 */
function openPrinter({ browser, pdfs }: PrintDeps) {
  const inFlight = new Map<string, Promise<number>>();

  async function sizeOf({ key, html, pdf, asker }: Printing, signal: AbortSignal): Promise<number> {
    const known = await pdfs.sizeOf(key);
    count("posthaste.print.cache", 1, {
      "posthaste.outcome": known === undefined ? "miss" : "hit",
    });
    if (known !== undefined) return known;
    const { accountId, lane } = asker;
    const printed = await printMeasured(
      browser,
      { name: pdf.filename, html, page: pdf.page },
      { signal, asker: { accountId, lane } },
    );
    if (pdf.page.missing !== "leave_out" && printed.blocked.length > 0) {
      throw new PrintError({ name: pdf.filename, code: "blocked", reason: told(printed.blocked) });
    }
    await pdfs.put(key, printed.pdf);
    crashPoint("pdf.after_store");
    return printed.pdf.length;
  }

  return (printing: Printing, signal: AbortSignal): Promise<number> => {
    const place = `${printing.asker.lane} ${printing.key}`;
    const running = inFlight.get(place);
    if (running !== undefined) return running;
    const started = sizeOf(printing, signal).finally(() => inFlight.delete(place));
    inFlight.set(place, started);
    return started;
  };
}

/** The same event in the bulk lane, where it stays. */
function slowed(data: Rendered): Rendered {
  return { ...data, lane: "bulk" };
}

function isOutage(error: PrintError): boolean {
  return error.code === "unavailable" || error.code === "aborted";
}

function factOf(data: Rendered, now: Date) {
  const { messageId, sendId, accountId, index, attempt } = data;
  return { v: 1 as const, messageId, sendId, accountId, index, attempt, at: now.toISOString() };
}

function failure(data: Rendered, reason: string, now: Date): Outgoing {
  return {
    type: "fact.message.failed",
    data: { ...factOf(data, now), stage: "pdf", reason: `A PDF could not be printed: ${reason}` },
  };
}
