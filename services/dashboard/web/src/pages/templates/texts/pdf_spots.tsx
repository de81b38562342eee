import type { PDFDocumentProxy, PDFPageProxy } from "pdfjs-dist";
import { useEffect, useEffectEvent, useMemo, useState } from "react";
import { MARK_HOST } from "../../../../../texts/link_marks.ts";
import { openPdf } from "../open_pdf.ts";
import { boxAround } from "./box_around.ts";
import { valuesOf } from "./frame_spots.tsx";
import { pageTexts } from "./page_texts.ts";
import type { EditTarget } from "./text_editing.ts";
import { TextSpot } from "./text_spot.tsx";
import type { ScreenBox, TextEditing } from "./use_text_editing.ts";

/** A place of a page that can be edited. */
export interface PdfSpot {
  target: EditTarget;
  /** In parts of a hundred of the page. */
  box: ScreenBox;
  /** Around all lines of the text on the page. */
  around: ScreenBox;
}

/** Reads the places of texts, by page, out of a PDF in which they are links. */
export function usePdfSpots(
  address: string | null,
  onRead: (spots: readonly PdfSpot[]) => void,
): readonly (readonly PdfSpot[])[] {
  const [spots, setSpots] = useState<readonly (readonly PdfSpot[])[]>([]);
  const onSpots = useEffectEvent(onRead);
  useEffect(() => {
    if (address === null) return setSpots([]);
    const abort = new AbortController();
    readSpots(address, abort.signal).then((read) => {
      if (abort.signal.aborted) return;
      setSpots(read);
      onSpots(read.flat());
      // Without it, the pages are only not editable.
    }).catch(() => {});
    return () => abort.abort();
  }, [address]);
  return spots;
}

/** The texts of a page that can be edited, over the page. */
export function PdfSpots({ spots, editing }: {
  spots: readonly PdfSpot[];
  editing: TextEditing;
}) {
  const html = editing.marked?.html ?? "";
  const { text, texts, values, descriptions } = useMemo(() => pageTexts(html), [html]);
  const labels = useMemo(
    () =>
      new Map([
        ...texts.toReversed().map(({ type, number, start, end }): [string, string] => [
          `${type} ${number}`,
          text.slice(start, end).replace(/\s+/g, " ").trim(),
        ]),
        ...[...descriptions].map(([number, alt]): [string, string] => [`image ${number}`, alt]),
      ]),
    [text, texts, descriptions],
  );
  return spots.filter(({ target }) => editing.offers(target.type)).map((
    { target, box, around },
    index,
  ) => (
    <TextSpot
      key={index}
      unit="%"
      {...{ target, box, around, editing }}
      label={labels.get(`${target.type} ${target.number}`) ?? ""}
      onOpen={(target, box) => editing.open({ target, box, shown: valuesOf(values, target) })}
    />
  ));
}

async function readSpots(address: string, signal: AbortSignal): Promise<PdfSpot[][]> {
  const pdf: PDFDocumentProxy = await openPdf(address, signal);
  try {
    const pages: PdfSpot[][] = [];
    for (let number = 1; number <= pdf.numPages; number++) {
      pages.push(await spotsOf(await pdf.getPage(number)));
    }
    return pages;
  } finally {
    void pdf.loadingTask.destroy();
  }
}

async function spotsOf(page: PDFPageProxy): Promise<PdfSpot[]> {
  const { width, height, transform: _, ...viewport } = page.getViewport({ scale: 1 });
  const annotations: { url?: string; rect: number[] }[] = await page.getAnnotations();
  const links = annotations.flatMap(({ url = "", rect }) => {
    const [, type, number, part] = ADDRESS.exec(url) ?? [];
    if (type === undefined || part === undefined) return [];
    const [a = 0, b = 0, c = 0, d = 0] = rect;
    const [x = 0, y = 0] = viewport.viewBox;
    const box = {
      left: (Math.min(a, c) - x) / width * 100,
      top: (height - Math.max(b, d) + y) / height * 100,
      width: Math.abs(c - a) / width * 100,
      height: Math.abs(d - b) / height * 100,
    };
    return [{ target: { type: type as EditTarget["type"], number: Number(number) }, part, box }];
  });
  return [...Map.groupBy(links, ({ part }) => part).values()].flatMap((lines) => {
    const around = boxAround(lines.map(({ box }) => box));
    const spots = lines.map(({ target, box }) => ({ target, box, around }));
    // An image in a line has two links: as high as the line, and as high as the image.
    return spots[0]?.target.type === "image" ? [{ ...spots[0], box: around }] : spots;
  });
}

const ADDRESS = new RegExp(
  `^https://${MARK_HOST.replace(".", "\\.")}/(text|image|partial)/(\\d+)/(\\d+)$`,
);
