import { imageRanges } from "./image_ranges.ts";
import { hasSigns, signedNumber, SIGNS } from "./mark_signs.ts";
import { plainRanges } from "./plain_ranges.ts";
import { templateTags } from "./template_tags.ts";
import { type TextRange, textRanges } from "./text_ranges.ts";

/**
 * Returns a source with signs around each text and each value in it, and in the description of each image:
 * what is rendered from it shows where they are. Texts and images are numbered in their order.
 */
export function markSource(source: string): string {
  if (hasSigns(source)) return source;
  const marks = textMarks(textRanges(source));
  for (const [number, { alt, attributes }] of imageRanges(source).entries()) {
    const sign = SIGNS.image + signedNumber(number) + SIGNS.body;
    marks.push(alt === null ? { at: attributes, sign: ` alt="${sign}"` } : { at: alt, sign });
  }
  return withMarks(source, marks.sort((a, b) => a.at - b.at));
}

/** Returns a text part with signs around each text and each value in it. Texts are numbered in their order. */
export function markTextPart(text: string): string {
  return hasSigns(text) ? text : withMarks(text, textMarks(plainRanges(text)));
}

/** Returns the source of a partial with signs around each text: what is rendered with it shows whose they are. */
export function markPartial(source: string, number: number): string {
  if (hasSigns(source)) return source;
  const begin = SIGNS.partial + signedNumber(number) + SIGNS.body;
  const marks = textRanges(source).flatMap(({ start, end }) => [
    { at: start, sign: begin },
    { at: end, sign: SIGNS.textEnd },
  ]);
  return withMarks(source, marks);
}

/** Returns a subject with signs around each value in it. */
export function markPlainText(text: string): string {
  if (hasSigns(text)) return text;
  return withMarks(
    text,
    valueMarks((templateTags(text) ?? []).filter(({ role }) => role === "value")),
  );
}

interface Mark {
  at: number;
  sign: string;
}

function textMarks(ranges: readonly TextRange[]): Mark[] {
  return ranges.flatMap(({ start, end, values }, number) => [
    { at: start, sign: SIGNS.text + signedNumber(number) + SIGNS.body },
    ...valueMarks(values),
    { at: end, sign: SIGNS.textEnd },
  ]);
}

function valueMarks(values: readonly { start: number; end: number }[]): Mark[] {
  return values.flatMap(({ start, end }, index) => [
    { at: start, sign: SIGNS.value + signedNumber(index) + SIGNS.body },
    { at: end, sign: SIGNS.valueEnd },
  ]);
}

function withMarks(source: string, marks: readonly Mark[]): string {
  let marked = "";
  let from = 0;
  for (const { at, sign } of marks) {
    marked += source.slice(from, at) + sign;
    from = at;
  }
  return marked + source.slice(from);
}
