import { plainRanges } from "../../../../../texts/plain_ranges.ts";
import { type TemplateTag, templateTags } from "../../../../../texts/template_tags.ts";
import { textRanges } from "../../../../../texts/text_ranges.ts";
import { describeTag } from "./tag_name.ts";
import { type EditTarget, type TextBodies, wordsOf } from "./text_editing.ts";

/** A text that a preview does not show. */
export interface HiddenText {
  target: EditTarget;
  /** Its words, with the names of its values. */
  label: string;
  /** The blocks around it, such as `if paid`, the outermost first. */
  within: readonly string[];
}

/**
 * Returns the texts of the HTML or of the text part that a preview does not show: those of conditions that the
 * sample does not meet and of empty lists, and those that no reader sees, such as a preheader.
 *
 * @param shown The numbers of those that it shows.
 */
export function hiddenTexts(
  source: TextBodies,
  type: "text" | "plain",
  shown: ReadonlySet<number>,
): HiddenText[] {
  const body = type === "text" ? source.html : source.text;
  const ranges = (type === "text" ? textRanges : plainRanges)(body);
  if (ranges.every((_, number) => shown.has(number))) return [];
  const tags = templateTags(body) ?? [];
  const open: string[] = [];
  let next = 0;
  return ranges.flatMap(({ start, end }, number): HiddenText[] => {
    for (let tag = tags[next]; tag !== undefined && tag.start < start; tag = tags[++next]) {
      enter(open, tag, body.slice(tag.start, tag.end));
    }
    if (shown.has(number)) return [];
    const target = { type, number };
    return [{ target, label: wordsOf(body.slice(start, end), target), within: [...open] }];
  });
}

function enter(open: string[], { role }: TemplateTag, tag: string): void {
  const said = describeTag(tag);
  if (role === "open") open.push(/^\{\{~?\^/.test(tag) ? `unless ${said}` : said);
  else if (role === "close") open.pop();
  else if (role === "else") {
    const before = open.pop() ?? "";
    open.push(said === "else" ? opposite(before) : said.replace(/^else /, ""));
  }
}

function opposite(said: string): string {
  const [word = "", ...rest] = said.split(" ");
  const other = { if: "unless", unless: "if", each: "empty" }[word];
  return [...(other === undefined ? ["else of", word] : [other]), ...rest].join(" ");
}
