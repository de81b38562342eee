import { Alert, Box, Stack } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import type { PDFDocumentProxy } from "pdfjs-dist";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { Waiting } from "../../parts/states.tsx";
import { openPdf } from "./open_pdf.ts";
import { PdfPage } from "./pdf_page.tsx";
import { shownNumbers } from "./texts/frame_spots.tsx";
import { PdfSpots, usePdfSpots } from "./texts/pdf_spots.tsx";
import type { TextEditing } from "./texts/use_text_editing.ts";

/** Left and right of the pages, in CSS pixels. */
const PADDING = 16;

/** The least width of a page that is not zoomed, in CSS pixels: usual text of A4 can be read from it. */
const LEAST_WIDTH = 500;

/** The pages of a PDF. While another one is loaded the old pages stay. */
export default function PdfPages({ address, zoom, onPages, marks, editing }: {
  address: string;
  /** 1 is as wide as there is room, and at least wide enough to be read. */
  zoom: number;
  onPages: (count: number) => void;
  /** Address of the PDF whose links are the places of texts. */
  marks: string | null;
  /** Null if the texts cannot be edited. */
  editing: TextEditing | null;
}) {
  const { ref, width } = useElementSize();
  const [opened, setOpened] = useState<PDFDocumentProxy | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const previous = useRef<PDFDocumentProxy | null>(null);
  const tell = useEffectEvent(onPages);
  const spots = usePdfSpots(marks, (read) => editing?.onShown(shownNumbers(read)));

  useEffect(() => {
    const abort = new AbortController();
    const { signal } = abort;
    openPdf(address, signal).then((pdf) => {
      if (signal.aborted) return void pdf.loadingTask.destroy();
      // The one before the last: pages of the last may still be drawn.
      void previous.current?.loadingTask.destroy();
      setOpened((last) => {
        previous.current = last;
        return pdf;
      });
      setError(null);
      tell(pdf.numPages);
    }).catch((error: unknown) => {
      if (!signal.aborted) setError(error instanceof Error ? error : new Error(String(error)));
    });
    return () => abort.abort();
  }, [address]);

  const last = useRef(opened);
  useEffect(() => {
    last.current = opened;
  }, [opened]);
  useEffect(() => () => {
    void previous.current?.loadingTask.destroy();
    void last.current?.loadingTask.destroy();
  }, []);

  return (
    <Box
      ref={ref}
      h="100%"
      bg="light-dark(#e9ebee, #17191c)"
      style={{ overflow: "auto" }}
      tabIndex={0}
      role="region"
      aria-label="Pages of the PDF"
    >
      {error !== null && <Alert color="red" p="xs" radius={0}>{error.message}</Alert>}
      {opened === null && error === null && <Waiting label="Loading the PDF" />}
      {opened !== null && width > 0 && (
        <Stack gap="md" p={PADDING} w="max-content" miw="100%" align="center">
          {Array.from({ length: opened.numPages }, (_, index) => (
            <PdfPage
              key={index}
              pdf={opened}
              number={index + 1}
              width={Math.floor(Math.max(width - 2 * PADDING, LEAST_WIDTH) * zoom)}
            >
              {editing !== null && <PdfSpots spots={spots[index] ?? []} editing={editing} />}
            </PdfPage>
          ))}
        </Stack>
      )}
    </Box>
  );
}
