import {
  type Content,
  EVENT_VERSION,
  type PageOptions,
  type PdfInvoice,
  type PrintReply,
} from "@posthaste/contracts";
import type { DashboardDeps } from "../dashboard_deps.ts";

/** A document that was filled with the sample of its author. */
export interface SampleDocument {
  accountId: string;
  /** For the log of the printer. */
  name: string;
  html: Content;
  page: PageOptions;
  invoice?: PdfInvoice | undefined;
  append?: Content[] | undefined;
}

/**
 * Asks a printer for the PDF of a document that was filled with a sample, without the password of messages.
 * Returns undefined if no printer answers in time.
 */
export async function printSample(
  { accountId, name, html, page: options, invoice, append = [] }: SampleDocument,
  { bus, timeoutMs }: { bus: Pick<DashboardDeps["bus"], "ask">; timeoutMs: number },
): Promise<PrintReply | undefined> {
  // Authors look at their own sample.
  const { passwordVariable: _, append: names, ...shown } = options;
  // A finding reports the names without a PDF.
  const page = append.length === 0 ? shown : { ...shown, append: names };
  const data = {
    ...{ v: EVENT_VERSION, accountId, name, html, page },
    ...(invoice === undefined ? {} : { invoice }),
    ...(append.length === 0 ? {} : { append }),
  };
  return await bus.ask("print.requested", data, { timeoutMs });
}
