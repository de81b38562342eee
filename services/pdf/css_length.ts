/** How many of each unit make an inch (CSS Values and Units 4, section 6.2). */
const PER_INCH = { mm: 25.4, cm: 2.54, in: 1, px: 96, pt: 72 } as const;

/**
 * The inches in an absolute CSS length: `"25.4mm"` is 1.
 *
 * @throws {RangeError} When the text is not a number with one of mm, cm, in, px and pt.
 */
export function inchesOf(length: string): number {
  const match = /^(\d+(?:\.\d+)?)(mm|cm|in|px|pt)$/.exec(length);
  if (!match) {
    throw new RangeError(
      `Cannot read the length ${JSON.stringify(length)}: it needs mm, cm, in, px or pt`,
    );
  }
  return Number(match[1]) / PER_INCH[match[2] as keyof typeof PER_INCH];
}
