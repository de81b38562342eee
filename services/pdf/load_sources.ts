import type { EventData } from "@posthaste/contracts";
import type { MessageWithBytes } from "@posthaste/messaging";
import { addSpanAttributes } from "@posthaste/telemetry";
import type { PdfBrowser } from "./browser.ts";
import { creationTime } from "./neutral_pdf.ts";
import { printKey } from "./print_key.ts";
import type { Printing } from "./print_once.ts";
import { loadAppended, loadInvoice, MissingContentError, textOf } from "./text_of.ts";

/** A message and the sources of its PDFs, which may be gone. */
export interface Sources {
  message: MessageWithBytes<"messages.rendered">;
  printings: Printing[];
  isMissing?: true;
}

/** What loads sources. */
export interface SourceDeps {
  browser: Pick<PdfBrowser, "engine">;
  /** Loads a text that was too large for its event. */
  loadContent(key: string): Promise<string | undefined>;
}

/** Loads the sources of a message's PDFs. */
export async function loadSources(
  message: Sources["message"],
  { accountId, priority, acceptedAt }: EventData<"messages.rendered">,
  { browser: { engine }, loadContent }: SourceDeps,
): Promise<Sources> {
  const madeAt = creationTime(new Date(acceptedAt));
  try {
    const printings = await Promise.all(message.pdfs.map(async (pdf): Promise<Printing> => {
      const html = await textOf(pdf.html, loadContent);
      const invoice = await loadInvoice(pdf.invoice, loadContent);
      const append = await loadAppended(pdf.append, loadContent);
      const { page, encryption } = pdf;
      const key = printKey({ accountId, html, page, invoice, encryption, append, madeAt, engine });
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
