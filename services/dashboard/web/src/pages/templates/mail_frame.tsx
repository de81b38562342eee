import { Box } from "@mantine/core";
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from "react";
import { changedPlace, fitFrame } from "./fit_frame.ts";
import type { MailScheme } from "./framed_html.ts";
import { inertPage } from "./inert_page.ts";
import { markChange } from "./mark_change.ts";

/** A mail with slow images is shown without them after this time, in milliseconds. */
const PATIENCE_MS = 600;

interface Frame {
  number: number;
  /** HTML from the renderer. */
  html: string;
  content: string;
  isReady: boolean;
  /** Whether its layout is read: it then has the origin of this page, and nothing active. */
  isRead: boolean;
}

/**
 * Shows customers' HTML in a sandbox: without scripts, forms, windows and any origin. The next
 * version loads behind the visible one, so that nothing flickers while the author writes, and first
 * shows the place that has changed. With an overlay, the frame has the origin of this page, so that its
 * layout can be read: it still runs nothing, and has nothing left that could.
 */
export function MailFrame({ html, dress, scheme, width, images, overlay }: {
  html: string;
  /** Converts the HTML to the frame's document. */
  dress: (html: string) => string;
  scheme: MailScheme;
  /** The images that `dress` writes into it. */
  images?: Readonly<Record<string, string>>;
  /** In CSS pixels; null for the full width. */
  width: number | null;
  /** What is over the visible frame. The size changes with each layout. */
  overlay?: ((frame: HTMLIFrameElement, size: string) => ReactNode) | undefined;
}) {
  const isRead = overlay !== undefined;
  const area = useRef<HTMLDivElement>(null);
  const elements = useRef(new Map<number, HTMLIFrameElement>());
  const [shown, setShown] = useState<{ frame: HTMLIFrameElement; size: string } | null>(null);
  const [frames, setFrames] = useState<readonly Frame[]>([]);
  useEffect(() => {
    setFrames((before) => {
      const last = before.at(-1);
      const dressed = dress(last === undefined ? html : markChange(last.html, html));
      const content = isRead ? inertPage(dressed) : dressed;
      if (last?.content === content && last.isRead === isRead) return before;
      const next = { number: (last?.number ?? 0) + 1, html, content, isReady: false, isRead };
      return [...before.filter(({ isReady }) => isReady).slice(-1), next];
    });
    // `dress` depends only on the scheme and the images.
  }, [html, scheme, images, isRead]);
  const show = (number: number) => {
    setFrames((before) =>
      before.filter((frame) => frame.number >= number)
        .map((frame) => frame.number === number ? { ...frame, isReady: true } : frame)
    );
    const frame = elements.current.get(number);
    if (frame === undefined || !frame.sandbox.contains(READABLE)) return;
    setShown({ frame, size: `${number} ${fitFrame(frame)}` });
    scrollTo(area.current, changedPlace(frame));
  };
  const fit = useEffectEvent(() => {
    if (shown?.frame.isConnected) setShown({ ...shown, size: fitFrame(shown.frame) });
  });
  useEffect(() => {
    if (!isRead || area.current === null) return;
    const observer = new ResizeObserver(() => fit());
    observer.observe(area.current);
    return () => observer.disconnect();
  }, [isRead, width]);
  const newest = frames.at(-1);
  const waitingFor = newest?.isReady === false ? newest.number : null;
  useEffect(() => {
    if (waitingFor === null) return;
    const timer = setTimeout(() => show(waitingFor), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [waitingFor]);
  const paper = scheme === "dark" ? "#1b1b1b" : "#ffffff";
  return (
    <Box
      ref={area}
      h="100%"
      bg={width === null ? paper : STAGE}
      pos="relative"
      style={isRead ? { overflow: "auto" } : {}}
    >
      {frames.map(({ number, content, isReady, isRead }) => (
        <iframe
          key={number}
          ref={(frame) => {
            if (frame === null) elements.current.delete(number);
            else elements.current.set(number, frame);
          }}
          title={isReady ? "Preview of the mail" : "Next preview of the mail"}
          // Never with scripts: a document with both could leave the sandbox.
          sandbox={isRead ? READABLE : ""}
          srcDoc={content}
          referrerPolicy="no-referrer"
          onLoad={() => show(number)}
          aria-hidden={!isReady}
          tabIndex={isReady ? 0 : -1}
          style={{
            ...isRead ? PLACE : FRAME,
            background: paper,
            boxShadow: "0 0 0 1px var(--mantine-color-default-border)",
            width: width === null ? "100%" : `min(100%, ${width}px)`,
            visibility: isReady ? "visible" : "hidden",
          }}
        />
      ))}
      {overlay !== undefined && shown !== null && shown.frame.isConnected && (
        <div
          style={{
            ...PLACE,
            width: shown.frame.clientWidth,
            height: shown.frame.clientHeight,
            overflow: "hidden",
            pointerEvents: "none",
          }}
        >
          {overlay(shown.frame, shown.size)}
        </div>
      )}
    </Box>
  );
}

/** Scrolls to a place that is not visible. */
function scrollTo(area: HTMLElement | null, place: number | undefined): void {
  if (area === null || place === undefined) return;
  const { scrollTop, clientHeight } = area;
  if (place < scrollTop || place > scrollTop + clientHeight - 40) area.scrollTop = place - 96;
}

/** The area beside a narrow mail: in the dashboard's colours, independent of the mail's. */
const STAGE = "light-dark(var(--mantine-color-gray-2), var(--mantine-color-dark-8))";

const READABLE = "allow-same-origin";

const PLACE = {
  position: "absolute",
  top: 0,
  left: 0,
  right: 0,
  margin: "0 auto",
  border: 0,
} as const;

const FRAME = { ...PLACE, bottom: 0, height: "100%" } as const;
