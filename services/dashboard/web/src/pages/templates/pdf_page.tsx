import { Box } from "@mantine/core";
import { useInViewport } from "@mantine/hooks";
import type { PDFDocumentProxy } from "pdfjs-dist";
import { type ReactNode, useEffect, useRef, useState } from "react";

/** Of A4, until the page itself is known. */
const HEIGHT = Math.SQRT2;

/** The greatest resolution of a drawn page, relative to its size on the screen. */
const DENSITY = 2;

/** A page of a PDF, drawn once it becomes visible. The old drawing stays until the new one is ready. */
export function PdfPage({ pdf, number, width, children }: {
  pdf: PDFDocumentProxy;
  /** From 1. */
  number: number;
  /** In CSS pixels. */
  width: number;
  /** What is over the page. */
  children?: ReactNode;
}) {
  const place = useRef<HTMLDivElement>(null);
  const { ref, inViewport } = useInViewport();
  const [ratio, setRatio] = useState(HEIGHT);

  useEffect(() => {
    if (!inViewport || width < 1) return;
    let isCanceled = false;
    let cancel = () => {};
    const draw = async () => {
      const page = await pdf.getPage(number);
      if (isCanceled) return;
      const plain = page.getViewport({ scale: 1 });
      const density = Math.min(devicePixelRatio, DENSITY);
      const viewport = page.getViewport({ scale: width * density / plain.width });
      const canvas = document.createElement("canvas");
      canvas.width = Math.round(viewport.width);
      canvas.height = Math.round(viewport.height);
      Object.assign(canvas.style, { width: "100%", height: "100%", display: "block" });
      const task = page.render({ canvas, viewport });
      cancel = () => task.cancel();
      await task.promise;
      if (isCanceled) return;
      setRatio(plain.height / plain.width);
      place.current?.replaceChildren(canvas);
    };
    // A canceled page, or one of a closed PDF, is not drawn.
    draw().catch(() => {});
    return () => {
      isCanceled = true;
      cancel();
    };
  }, [pdf, number, width, inViewport]);

  return (
    <Box
      ref={ref}
      pos="relative"
      w={width}
      h={width * ratio}
      bg="#ffffff"
      style={{ boxShadow: "0 1px 4px rgba(0, 0, 0, 0.25)" }}
    >
      <div
        ref={place}
        role="img"
        aria-label={`Page ${number} of ${pdf.numPages}`}
        style={{ width: "100%", height: "100%" }}
      />
      {children}
    </Box>
  );
}
