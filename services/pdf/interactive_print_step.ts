import type { EventData, PrintReply } from "@posthaste/contracts";
import { openSemaphore } from "@posthaste/limits";
import type { ObjectStore, Step } from "@posthaste/messaging";
import type { PdfBrowser } from "./browser.ts";
import { creationTime } from "./neutral_pdf.ts";
import type { JobInvoice } from "./print_job.ts";
import { PrintError } from "./print_error.ts";
import { printKey } from "./print_key.ts";
import { printMeasured } from "./print_measured.ts";
import { loadAppended, loadInvoice, MissingContentError, textOf } from "./text_of.ts";

/** The dependencies of the step. */
export interface InteractivePrintDeps {
  browser: Pick<PdfBrowser, "print" | "engine">;
  pdfs: Pick<ObjectStore, "sizeOf" | "put">;
  /** Loads a text that was too large for its event. */
  loadContent(key: string): Promise<string | undefined>;
  /** Longest time of one document, with the wait for its turn, in milliseconds. @default {10_000} */
  timeLimitMs?: number;
}

type Wanted = EventData<"print.requested">;

/**
 * Prints a document for an interactive request, one at a time for each account. A document with blocked
 * addresses or without a glyph, which a mail could not have printed, is shown as it is, under another key: a
 * mail must not find it.
 */
export function interactivePrintStep(deps: InteractivePrintDeps): Step<"print.requested"> {
  const turns = openSemaphore({ max: Infinity, maxPerOwner: 1 });
  const { timeLimitMs = 10_000 } = deps;
  return {
    name: "pdf.interactive",
    handle: async ({ data }, stopped) => {
      const late = AbortSignal.timeout(timeLimitMs);
      const signal = AbortSignal.any([stopped, late]);
      let hasTurn = false;
      const onTurn = () => void (hasTurn = true);
      const answer = (reply: PrintReply) => ({
        type: "done" as const,
        publish: [],
        replies: [reply],
      });
      try {
        const html = await textOf(data.html, deps.loadContent);
        const invoice = await loadInvoice(data.invoice, deps.loadContent);
        const append = await loadAppended(data.append, deps.loadContent);
        using _turn = await turns.acquire(data.accountId);
        return answer(
          await print(data, { html, invoice, append, signal, onTurn, timeLimitMs, deps }),
        );
      } catch (error) {
        if (error instanceof MissingContentError) {
          const reason = "the content to print has expired";
          return answer({ ok: false, code: "unavailable", reason });
        }
        if (!(error instanceof PrintError)) throw error;
        if (!late.aborted || error.code !== "aborted") {
          return answer({ ok: false, code: error.code, reason: error.reason });
        }
        const seconds = timeLimitMs / 1000;
        const [code, reason] = hasTurn
          ? ["timeout", `it took longer than ${seconds} s, including the wait`] as const
          : ["unavailable", `the printer was busy for ${seconds} s; try again`] as const;
        return answer({ ok: false, code, reason, timedOut: true });
      }
    },
    giveUp: (_, reason) => ({
      publish: [],
      replies: [{ ok: false, code: "crashed", reason } satisfies PrintReply],
    }),
  };
}

interface Printing {
  html: string;
  invoice: JobInvoice | undefined;
  append: Buffer[] | undefined;
  signal: AbortSignal;
  onTurn(): void;
  timeLimitMs: number;
  deps: InteractivePrintDeps;
}

async function print(
  { accountId, name, page, encryption }: Wanted,
  { html, invoice, append, signal, onTurn, timeLimitMs, deps: { browser, pdfs } }: Printing,
): Promise<PrintReply> {
  const { engine } = browser;
  const source = { accountId, html, invoice, encryption, append, engine };
  const madeAt = creationTime(new Date());
  if (page.missing === "fail" && page.missingGlyphs === "fail") {
    const key = printKey({ ...source, page, madeAt });
    const size = await pdfs.sizeOf(key);
    // Nothing was refused or without a glyph, otherwise it would not be stored.
    if (size !== undefined) return { ok: true, key, size, blocked: [] };
  }
  const asker = { accountId, priority: "transactional" as const };
  const shownPage = { ...page, missingGlyphs: "ignore" as const };
  const job = {
    ...{ name, html, page: shownPage, invoice, encryption, append, madeAt },
    ...{ listsMissingGlyphs: true, listsFonts: true },
  };
  const printed = await printMeasured(browser, job, {
    ...{ signal, asker, onTurn, timeLimit: timeLimitMs },
  });
  const { pdf, blocked, missingGlyphs, brokenFonts } = printed;
  const shown = {
    ...(missingGlyphs === undefined || page.missingGlyphs === undefined ? page : shownPage),
    ...(blocked.length === 0 ? {} : { missing: "leave_out" as const }),
  };
  const key = printKey({ ...source, page: shown, madeAt });
  await pdfs.put(key, pdf);
  const found = {
    ...(missingGlyphs === undefined ? {} : { missingGlyphs }),
    ...(brokenFonts === undefined ? {} : { brokenFonts }),
  };
  return { ok: true, key, size: pdf.length, blocked, ...found };
}
