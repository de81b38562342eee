import { hasSigns } from "./mark_signs.ts";
import { type TemplateTag, templateTags } from "./template_tags.ts";
import type { TextItem } from "./text_items.ts";
import { rangesIn, type TextRange } from "./text_ranges.ts";

/**
 * Returns the texts of a text part that a person can edit in its preview: its paragraphs, with values and the
 * blocks that are whole within them. A tag of a block that has a line for itself is between texts. It takes time
 * proportional to the length.
 */
export function plainRanges(source: string): TextRange[] {
  const tags = hasSigns(source) ? null : templateTags(source);
  if (tags === null) return [];
  const paragraphs: TextItem[][] = [[]];
  let from = 0;
  for (const [index, tag] of tags.entries()) {
    addCharacters(paragraphs, source, { start: from, end: tag.start });
    const { start, end, role, isRaw } = tag;
    from = end;
    if (role === "value") paragraphs.at(-1)?.push({ type: "value", isRaw, start, end });
    else if (role === "other" || hasOwnLine(source, tags, index)) paragraphs.push([]);
    else paragraphs.at(-1)?.push({ type: "block", role, start, end });
  }
  addCharacters(paragraphs, source, { start: from, end: source.length });
  return paragraphs.flatMap((items) => rangesIn(items, source));
}

const BETWEEN_PARAGRAPHS = /\n[ \t\r]*\n\s*/g;

function addCharacters(
  paragraphs: TextItem[][],
  source: string,
  { start, end }: { start: number; end: number },
): void {
  let from = start;
  for (const { 0: gap, index } of source.slice(start, end).matchAll(BETWEEN_PARAGRAPHS)) {
    const until = start + index;
    if (until > from) paragraphs.at(-1)?.push({ type: "characters", start: from, end: until });
    paragraphs.push([]);
    from = until + gap.length;
  }
  if (end > from) paragraphs.at(-1)?.push({ type: "characters", start: from, end });
}

/** Returns whether a tag is alone on its line: Handlebars then leaves out the line, unless it has more. */
function hasOwnLine(source: string, tags: readonly TemplateTag[], index: number): boolean {
  const [last, tag, next] = [tags[index - 1], tags[index], tags[index + 1]];
  if (tag === undefined) return false;
  const before = source.slice(last?.end ?? 0, tag.start);
  const after = source.slice(tag.end, next?.start ?? source.length);
  const begins = /\n[ \t]*$/.test(before) || last === undefined && /^[ \t]*$/.test(before);
  const ends = /^[ \t]*\r?\n/.test(after) || next === undefined && /^[ \t]*$/.test(after);
  return begins && ends;
}
