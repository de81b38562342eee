import { isComment } from "./template_tags.ts";
import type { TextItem } from "./text_items.ts";

/**
 * What a reader sees of an item: nothing, the edge of an element that has lines of its own, or something that
 * stands in a line with its neighbours.
 */
export type Trace = "nothing" | "edge" | "in line";

/** The elements that stand in a line, and are no text. */
const IN_LINE = new Set(
  ("img input button select textarea svg math object video audio canvas iframe picture map label meter " +
    "progress output").split(" "),
);

/**
 * Returns what a reader sees of an item: of an inline element, only what is in it. A call of a partial counts as
 * elements with lines of their own.
 */
export function traceOf(item: TextItem, source: string): Trace {
  const { type, start, end } = item;
  if (type === "block" || type === "open" || type === "close") return "nothing";
  if (type === "characters") {
    return source.slice(start, end).trim() === "" ? "nothing" : "in line";
  }
  if (type === "leaf") return item.name === "br" ? "edge" : "in line";
  if (type !== "end") return "in line";
  const { piece } = item;
  if (!("type" in piece)) return isComment(source, piece) ? "nothing" : "edge";
  if (piece.type === "open" || piece.type === "close") {
    return IN_LINE.has(piece.name) ? "in line" : "edge";
  }
  return "nothing";
}
