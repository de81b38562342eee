import { failpoint } from "@posthaste/runtime";
import { recordDuration, recordSize } from "@posthaste/telemetry";
import type { PdfBrowser, PrintOptions } from "./browser.ts";
import type { PrintedPdf, PrintJob } from "./print_job.ts";

/** Prints one document, and records its waiting time, print time and size as metrics. */
export async function printMeasured(
  browser: Pick<PdfBrowser, "print">,
  job: PrintJob,
  options: PrintOptions,
): Promise<PrintedPdf> {
  let started = performance.now();
  failpoint("pdf.before_print");
  const onTurn = () => {
    const now = performance.now();
    recordDuration("posthaste.print.wait.duration", (now - started) / 1000);
    started = now;
    options.onTurn?.();
  };
  const printed = await browser.print(job, { ...options, onTurn });
  failpoint("pdf.after_print");
  recordDuration("posthaste.print.duration", (performance.now() - started) / 1000);
  recordSize("posthaste.print.size", printed.pdf.length);
  return printed;
}
