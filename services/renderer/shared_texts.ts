import type { RenderedPdf } from "./render_message.ts";
import { textsOfPdfs } from "./pdf_sources.ts";

/**
 * Repetitions of this many characters are worth an object in the store: to write it and to read it costs as much as
 * 100 KB in events, but later events name the same object.
 */
const WORTH_STORING = 32 * 1024;

/** PDFs of a message. */
type Pdfs = readonly Pick<RenderedPdf, "html" | "invoice" | "append" | "encryption">[];

/**
 * Returns the texts that PDFs of several messages share, if together they are long enough. They are stored once, so
 * no event repeats them.
 */
export function sharedTexts(messages: readonly Pdfs[]): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const text of messages.flatMap(textsOfPdfs)) counts.set(text, (counts.get(text) ?? 0) + 1);
  return new Set(
    [...counts].filter(([text, count]) => text.length * (count - 1) >= WORTH_STORING)
      .map(([text]) => text),
  );
}

/** Returns whether all PDFs of a message are probably those of other messages, too. */
export function isShared(pdfs: Pdfs, shared: ReadonlySet<string>): boolean {
  return pdfs.every(({ html, encryption }) => encryption === undefined && shared.has(html));
}
