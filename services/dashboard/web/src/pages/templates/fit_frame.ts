/**
 * Makes a frame as high as its document, at least as high as its surroundings, and returns its size. Its
 * document must be readable.
 */
export function fitFrame(frame: HTMLIFrameElement): string {
  const { style } = frame;
  style.height = "100%";
  const content = frame.contentDocument?.documentElement?.scrollHeight ?? 0;
  const height = Math.max(content, frame.clientHeight);
  style.height = `${height}px`;
  return `${frame.clientWidth} ${height}`;
}

/** Returns how far the place that has changed is from the top of a frame's document, if there is one. */
export function changedPlace({ contentDocument }: HTMLIFrameElement): number | undefined {
  if (contentDocument === null) return undefined;
  // A customer's elements can hide the functions of their document by their names.
  const { querySelector } = Document.prototype;
  return querySelector.call(contentDocument, "[data-posthaste-changed]")?.getBoundingClientRect()
    .top;
}
