import { type ImagePlace, spotBeside } from "./image_spot.ts";
import { textItems } from "./text_items.ts";
import { topSpot } from "./top_spot.ts";
import { traceOf } from "./trace_of.ts";

/**
 * Returns a source with a new image on a line of its own, indented like its neighbours; null if none can be at
 * the place. All else stays as it is, byte by byte.
 *
 * @param write Writes the image as an element of MJML or HTML.
 */
export function addImage(
  source: string,
  place: ImagePlace,
  write: (options: { isMjml: boolean }) => string,
): string | null {
  const top = place.side === "top" ? topSpot(source) : null;
  const spot = place.side === "top" ? top : spotBeside(source, place);
  if (spot === null) return null;
  const { at, isBefore, neighbour, isMjml } = spot;
  const image = write({ isMjml });
  const unit = unitOf(source);
  const lines = isMjml ? [image] : [withBreaks(source, at, image)];
  const element = top?.needsSection ? inSection(image, unit) : lines;

  const lineStart = source.lastIndexOf("\n", neighbour - 1) + 1;
  const [indent = ""] = /^[ \t]*/.exec(source.slice(lineStart, neighbour)) ?? [];
  const begin = (/\r?\n/.exec(source)?.[0] ?? "\n") + indent;
  const deeper = isMjml && top?.isAlone ? unit : "";
  const written = element.map((line) => deeper + line).join(begin);
  const put = (at: number, text: string) => source.slice(0, at) + text + source.slice(at);
  if (isBefore && lineStart + indent.length === at) return put(at, written + begin);
  const [rest] = isBefore ? [] : /^[ \t]*(?=\r?\n|$)/.exec(source.slice(at)) ?? [];
  if (rest !== undefined) return put(at + rest.length, begin + written);
  return put(at, begin + written + begin);
}

/** Returns what a source is indented by: the tab or the spaces of its first line that has some. */
function unitOf(source: string): string {
  const [, unit = "  "] = /^(\t| {1,4})\S/m.exec(source) ?? [];
  return unit;
}

function inSection(image: string, unit: string): string[] {
  return [
    ...["<mj-section>", `${unit}<mj-column>`, `${unit}${unit}${image}`],
    ...[`${unit}</mj-column>`, "</mj-section>"],
  ];
}

/** Returns an image with a line break on each side where words or images would stand beside it. */
function withBreaks(source: string, at: number, image: string): string {
  const shown = (textItems(source) ?? []).flatMap((item) => {
    const parts = item.start < at && at < item.end
      ? [{ ...item, end: at }, { ...item, start: at }]
      : [item];
    return parts.map((part) => ({ start: part.start, trace: traceOf(part, source) }));
  }).filter(({ trace }) => trace !== "nothing");
  const before = shown.findLast(({ start }) => start < at);
  const after = shown.find(({ start }) => start >= at);
  const isInLine = (one: typeof before) => one?.trace === "in line";
  return `${isInLine(before) ? "<br>" : ""}${image}${isInLine(after) ? "<br>" : ""}`;
}
