import type { TemplateSource } from "../../../../../interface/templates.ts";
import { imageRanges } from "../../../../../texts/image_ranges.ts";
import { plainRanges } from "../../../../../texts/plain_ranges.ts";
import { WHOLE } from "../../../../../texts/read_marks.ts";
import { plainTextFault, textFault, type TextRule } from "../../../../../texts/text_fault.ts";
import { templateTags } from "../../../../../texts/template_tags.ts";
import { type TextRange, textRanges } from "../../../../../texts/text_ranges.ts";
import { plainTokens, type TextToken, textTokens } from "../../../../../texts/text_tokens.ts";
import { nameOf } from "./tag_name.ts";

/**
 * What a person clicks in the preview, by its number: a text or an image of the HTML, a text of the text part, or
 * a partial with the text; or the subject; or a new image.
 */
export interface EditTarget {
  type: "text" | "image" | "plain" | "partial" | "subject" | "new";
  number: number;
}

/** The subject of a mail. */
export const SUBJECT: EditTarget = { type: "subject", number: WHOLE };

/** An image that is to be added. */
export const NEW_IMAGE: EditTarget = { type: "new", number: WHOLE };

/** The bodies with texts that a person edits. */
export type TextBodies = Pick<TemplateSource, "html" | "subject" | "text">;

/** Returns whether texts and images have the same numbers in two sources. */
export function hasSameNumbers(a: TextBodies, b: TextBodies): boolean {
  const isSame = (count: (source: string) => unknown[], one: string, other: string) =>
    one === other || count(one).length === count(other).length;
  return isSame(textRanges, a.html, b.html) && isSame(imageRanges, a.html, b.html) &&
    isSame(plainRanges, a.text, b.text);
}

/** Returns whether a text has no elements. */
export function isPlain({ type }: EditTarget): boolean {
  return type === "subject" || type === "plain";
}

/** Returns the source of a text, or undefined if there is none with this number. */
export function sourceOfText(source: TextBodies, target: EditTarget): string | undefined {
  const { body, range } = placeOf(source, target);
  return range && source[body].slice(range.start, range.end);
}

/**
 * Returns the words of a text in one line, with the names of its values.
 *
 * @param shown What a preview shows for the values instead, in order.
 */
export function wordsOf(text: string, target: EditTarget, shown: readonly string[] = []): string {
  let count = 0;
  const words = tokensOf(text, target).map(({ type, key }) => {
    if (type === "character") return key;
    return type === "value" ? shown[count++] ?? nameOf(key) : type === "break" ? " " : "";
  });
  return words.join("").replace(/\s+/g, " ").trim();
}

/** Returns the tokens of a text. */
export function tokensOf(text: string, target: EditTarget): TextToken[] {
  return isPlain(target) ? plainTokens(text) : textTokens(text);
}

/** Returns why a text must not take another's place, or null if it may. */
export function faultOf(after: string, target: EditTarget, rule: TextRule): string | null {
  if (!isPlain(target)) return textFault(after, rule);
  return plainTextFault(after, { ...rule, isPart: target.type === "plain" });
}

/** Returns the change of a template's source by which a text gets another content. */
export function changeOfText(
  source: TextBodies,
  target: EditTarget,
  written: string,
): Partial<TemplateSource> {
  const { body, range } = placeOf(source, target);
  if (range === undefined) return {};
  const before = source[body];
  return { [body]: before.slice(0, range.start) + written + before.slice(range.end) };
}

/** Returns whether names at a text mean the template's variables: it is inside of no loop and the like. */
export function isAtTop(source: TextBodies, target: EditTarget): boolean {
  if (target.type === "subject") return true;
  const { body, range } = placeOf(source, target);
  const start = range?.start ?? 0;
  let depth = 0;
  for (const tag of templateTags(source[body]) ?? []) {
    if (tag.start >= start) break;
    const written = source[body].slice(tag.start, tag.end);
    const hasContext = /^\{\{~?#\s*(?:each|with|let)\b/.test(written);
    const endsContext = /^\{\{~?\/\s*(?:each|with|let)\b/.test(written);
    depth += hasContext ? 1 : endsContext ? -1 : 0;
  }
  return depth === 0;
}

function placeOf(
  { html, subject, text }: TextBodies,
  { type, number }: EditTarget,
): { body: keyof TextBodies; range: Pick<TextRange, "start" | "end"> | undefined } {
  if (type === "subject") return { body: "subject", range: { start: 0, end: subject.length } };
  if (type === "plain") return { body: "text", range: plainRanges(text)[number] };
  return { body: "html", range: type === "text" ? textRanges(html)[number] : undefined };
}
