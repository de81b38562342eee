import { Box } from "@mantine/core";
import { useEffect, useState } from "react";
import type { MailScheme } from "./framed_html.ts";
import { markChange } from "./mark_change.ts";

/** A mail with slow images is shown without them after this time, in milliseconds. */
const PATIENCE_MS = 600;

interface Frame {
  number: number;
  /** HTML from the renderer. */
  html: string;
  content: string;
  isReady: boolean;
}

/**
 * Shows customers' HTML in a sandbox: without scripts, forms, windows and any origin. The next
 * version loads behind the visible one, so that nothing flickers while the author writes, and first
 * shows the place that has changed.
 */
export function MailFrame({ html, dress, scheme, width, images }: {
  html: string;
  /** Converts the HTML to the frame's document. */
  dress: (html: string) => string;
  scheme: MailScheme;
  /** The images that `dress` writes into it. */
  images?: Readonly<Record<string, string>>;
  /** In CSS pixels; null for the full width. */
  width: number | null;
}) {
  const [frames, setFrames] = useState<readonly Frame[]>([]);
  useEffect(() => {
    setFrames((before) => {
      const last = before.at(-1);
      const content = dress(last === undefined ? html : markChange(last.html, html));
      if (last?.content === content) return before;
      const next = { number: (last?.number ?? 0) + 1, html, content, isReady: false };
      return [...before.filter(({ isReady }) => isReady).slice(-1), next];
    });
    // `dress` depends only on the scheme and the images.
  }, [html, scheme, images]);
  const show = (number: number) =>
    setFrames((before) =>
      before.filter((frame) => frame.number >= number)
        .map((frame) => frame.number === number ? { ...frame, isReady: true } : frame)
    );
  const newest = frames.at(-1);
  const waitingFor = newest?.isReady === false ? newest.number : null;
  useEffect(() => {
    if (waitingFor === null) return;
    const timer = setTimeout(() => show(waitingFor), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [waitingFor]);
  const paper = scheme === "dark" ? "#1b1b1b" : "#ffffff";
  return (
    <Box h="100%" bg={width === null ? paper : STAGE} pos="relative">
      {frames.map(({ number, content, isReady }) => (
        <iframe
          key={number}
          title={isReady ? "Preview of the mail" : "Next preview of the mail"}
          sandbox=""
          srcDoc={content}
          referrerPolicy="no-referrer"
          onLoad={() => show(number)}
          aria-hidden={!isReady}
          tabIndex={isReady ? 0 : -1}
          style={{
            ...FRAME,
            background: paper,
            boxShadow: "0 0 0 1px var(--mantine-color-default-border)",
            width: width === null ? "100%" : `min(100%, ${width}px)`,
            visibility: isReady ? "visible" : "hidden",
          }}
        />
      ))}
    </Box>
  );
}

/** The area beside a narrow mail: in the dashboard's colours, independent of the mail's. */
const STAGE = "light-dark(var(--mantine-color-gray-2), var(--mantine-color-dark-8))";

const FRAME = {
  position: "absolute",
  top: 0,
  bottom: 0,
  left: 0,
  right: 0,
  margin: "0 auto",
  height: "100%",
  border: 0,
} as const;
