import type { PageOptions } from "@posthaste/contracts";

/** Paper sizes by name. */
export const PAGE_SIZES = ["A3", "A4", "A5", "Letter", "Legal", "Tabloid"] as const;

/** Reads what was chosen as paper; any name that is none gives a size to be changed. */
export function readFormat(chosen: string): PageOptions["format"] {
  const name = PAGE_SIZES.find((size) => size === chosen);
  return name ?? { width: "148mm", height: "105mm" };
}

/** Returns whether a text is a length that printing understands. */
export function isLength(text: string): boolean {
  return /^\d+(?:\.\d+)?(?:mm|cm|in|px|pt)$/.test(text);
}
