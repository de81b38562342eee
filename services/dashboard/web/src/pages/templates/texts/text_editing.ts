import type { TemplateSource } from "../../../../../interface/templates.ts";
import { imageRanges } from "../../../../../texts/image_ranges.ts";
import { WHOLE } from "../../../../../texts/read_marks.ts";
import { templateTags } from "../../../../../texts/template_tags.ts";
import { textRanges } from "../../../../../texts/text_ranges.ts";
import { plainTokens, type TextToken, textTokens } from "../../../../../texts/text_tokens.ts";

/** What a person edits in the preview: a text or an image by its number, or the subject. */
export interface EditTarget {
  type: "text" | "image" | "subject";
  number: number;
}

/** The subject of a mail. */
export const SUBJECT: EditTarget = { type: "subject", number: WHOLE };

/** Returns whether texts and images have the same numbers in two sources. */
export function hasSameNumbers(a: string, b: string): boolean {
  return a === b ||
    textRanges(a).length === textRanges(b).length &&
      imageRanges(a).length === imageRanges(b).length;
}

/** Returns the source of a text, or undefined if there is none with this number. */
export function sourceOfText(
  { html, subject }: Pick<TemplateSource, "html" | "subject">,
  { type, number }: EditTarget,
): string | undefined {
  if (type === "subject") return subject;
  const range = textRanges(html)[number];
  return range && html.slice(range.start, range.end);
}

/** Returns the tokens of a text. */
export function tokensOf(text: string, { type }: EditTarget): TextToken[] {
  return type === "subject" ? plainTokens(text) : textTokens(text);
}

/** Returns the change of a template's source by which a text gets another content. */
export function changeOfText(
  { html }: Pick<TemplateSource, "html">,
  { type, number }: EditTarget,
  written: string,
): Partial<TemplateSource> {
  if (type === "subject") return { subject: written };
  const range = textRanges(html)[number];
  if (range === undefined) return {};
  return { html: html.slice(0, range.start) + written + html.slice(range.end) };
}

/** Returns whether names at a text mean the template's variables: it is inside of no loop and the like. */
export function isAtTop(html: string, { type, number }: EditTarget): boolean {
  if (type === "subject") return true;
  const start = textRanges(html)[number]?.start ?? 0;
  let depth = 0;
  for (const tag of templateTags(html) ?? []) {
    if (tag.start >= start) break;
    const source = html.slice(tag.start, tag.end);
    const hasContext = /^\{\{~?#\s*(?:each|with|let)\b/.test(source);
    const endsContext = /^\{\{~?\/\s*(?:each|with|let)\b/.test(source);
    depth += hasContext ? 1 : endsContext ? -1 : 0;
  }
  return depth === 0;
}
