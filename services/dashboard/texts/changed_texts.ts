import { textFault } from "./text_fault.ts";
import { textRanges } from "./text_ranges.ts";

/**
 * Returns why a source differs from another in more than its texts, or null if it does not. What is between the
 * texts must be the same, byte by byte, and each text may change as {@linkcode textFault} says.
 *
 * @param values Tags that print values and may be added.
 */
export function changedBeyondTexts(
  before: string,
  after: string,
  values: ReadonlySet<string>,
): string | null {
  if (before === after) return null;
  const ends = new Map(textRanges(after).map(({ start, end }) => [start, end]));
  let from = 0;
  let at = 0;
  for (const { start, end } of textRanges(before)) {
    const between = before.slice(from, start);
    if (!after.startsWith(between, at)) return BEYOND;
    at += between.length;
    const old = before.slice(start, end);
    const written = after.slice(at, ends.get(at) ?? at);
    const fault = written === old ? null : textFault(written, { before: old, values });
    if (fault !== null) return fault;
    at += written.length;
    from = end;
  }
  return after.slice(at) === before.slice(from) ? null : BEYOND;
}

const BEYOND = "It changes more than texts";
