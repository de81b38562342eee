import type { PageOptions } from "@posthaste/contracts";

/** Portrait sizes in inches; the A series is ISO 216. */
const FORMATS = {
  A3: [297 / 25.4, 420 / 25.4],
  A4: [210 / 25.4, 297 / 25.4],
  A5: [148 / 25.4, 210 / 25.4],
  Letter: [8.5, 11],
  Legal: [8.5, 14],
  Tabloid: [11, 17],
} as const;

/** How many of each unit make an inch (CSS Values and Units 4, section 6.2). */
const PER_INCH = { mm: 25.4, cm: 2.54, in: 1, px: 96, pt: 72 } as const;

/** Shortest and longest side of paper, in inches. PDF readers stop at 200 in (ISO 32000-1, C.2). */
const SIDE = { min: 0.5, max: 200 };

/** Paper and margins, in inches. */
export interface PageSize {
  width: number;
  height: number;
  margin: { top: number; right: number; bottom: number; left: number };
}

/**
 * Returns the paper and margins of page options. `landscape` makes the longer side the width; `portrait` does
 * not change a size in width and height.
 *
 * @throws {RangeError} When a side is out of bounds or the margins leave no room.
 */
export function pageSizeOf(page: Pick<PageOptions, "format" | "orientation" | "margin">): PageSize {
  const [width, height] = sidesOf(page);
  const margin = {
    top: inchesOf(page.margin.top),
    right: inchesOf(page.margin.right),
    bottom: inchesOf(page.margin.bottom),
    left: inchesOf(page.margin.left),
  };
  for (const side of [width, height]) {
    if (side < SIDE.min || side > SIDE.max) {
      throw new RangeError(
        `a side of the paper must be between ${SIDE.min} and ${SIDE.max} inches`,
      );
    }
  }
  if (margin.left + margin.right >= width || margin.top + margin.bottom >= height) {
    throw new RangeError("the margins leave no space on the paper");
  }
  return { width, height, margin };
}

function sidesOf({ format, orientation }: Pick<PageOptions, "format" | "orientation">) {
  const sides = typeof format === "string"
    ? FORMATS[format]
    : [inchesOf(format.width), inchesOf(format.height)] as const;
  if (orientation === "portrait") return sides;
  return [Math.max(...sides), Math.min(...sides)] as const;
}

/**
 * Returns the inches in an absolute CSS length: 1 for `"25.4mm"`.
 *
 * @throws {RangeError} When the text is not a number with one of mm, cm, in, px and pt.
 */
function inchesOf(length: string): number {
  const match = /^(\d+(?:\.\d+)?)(mm|cm|in|px|pt)$/.exec(length);
  if (!match) {
    throw new RangeError(
      `Cannot read the length ${JSON.stringify(length)}: it needs mm, cm, in, px or pt`,
    );
  }
  return Number(match[1]) / PER_INCH[match[2] as keyof typeof PER_INCH];
}
