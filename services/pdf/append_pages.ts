import { readPdfPages } from "@posthaste/assets";
import type { PdfUpdate } from "./pdf_update.ts";

/**
 * Adds the pages of other PDFs behind the printed ones, and returns how many.
 *
 * @throws {PdfFault} If one is encrypted or damaged.
 * @throws {RangeError} If the printed PDF is not as Chromium writes it.
 */
export function appendPages(update: PdfUpdate, files: readonly Buffer[]): number {
  const root = referenceIn(update.dictionary(update.root), "Pages");
  const printed = update.dictionary(root);
  const added: number[] = [];
  for (const file of files) {
    const { objects, pages } = readPdfPages(file).copied(update.size, root);
    for (const { body } of objects) update.add(body);
    added.push(...pages);
  }
  const count = Number(/\/Count (\d+)/.exec(printed)?.[1]) + added.length;
  const kids = added.map((id) => ` ${id} 0 R`).join("");
  const changed = printed.replace(/\/Count \d+/, `/Count ${count}`)
    .replace(/\/Kids \[[^\]]*/, (list) => `${list}${kids}`);
  if (!changed.includes(`/Count ${count}`) || !changed.includes(`${kids}]`)) {
    throw new RangeError("Cannot append pages: the PDF has no list of pages as Chromium writes it");
  }
  update.replace(root, `<<${changed}>>`);
  return added.length;
}

function referenceIn(dictionary: string, name: string): number {
  const id = new RegExp(`/${name} (\\d+) 0 R`).exec(dictionary)?.[1];
  if (id === undefined) throw new RangeError(`Cannot append pages: the PDF has no /${name}`);
  return Number(id);
}
