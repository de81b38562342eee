import { openSmtpSink, type SmtpSink } from "@posthaste/kit";
import { type JoinedSystem, joinSystem } from "./shared_system.ts";

/** The shared system with a mail for PDFs, and the server that gets it. */
export interface PdfOrder extends AsyncDisposable {
  system: JoinedSystem;
  sink: SmtpSink;
  /** What a send of the mail names. */
  order: { template: number; integration: number };
}

/** Publishes a mail that points to its PDF, and connects a server. */
export async function openPdfOrder(subject: string): Promise<PdfOrder> {
  await using stack = new AsyncDisposableStack();
  const sink = stack.use(await openSmtpSink());
  const system = stack.use(await joinSystem());
  const order = {
    template: await system.publishEmail({ subject, html: "<p>See the PDF" }),
    integration: await system.connect(sink.port),
  };
  const opened = stack.move();
  return { system, sink, order, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}
