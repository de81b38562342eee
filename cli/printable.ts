import { stripVTControlCharacters } from "node:util";

// deno-lint-ignore no-control-regex
const CONTROL = /[\u{0}-\u{8}\u{b}-\u{1f}\u{7f}-\u{9f}\u{202a}-\u{202e}\u{2066}-\u{2069}]/gu;

/**
 * Makes a text safe to print: the reply of a mail server or the text of a template must not move the cursor,
 * recolour the terminal or turn its direction. Line breaks and tabs stay.
 */
export function printable(text: string): string {
  return stripVTControlCharacters(text.replaceAll("\r\n", "\n")).replace(CONTROL, "�");
}

/** Like {@linkcode printable}, in one line. */
export function printableLine(text: string): string {
  return printable(text).replace(/\s*[\n\t]\s*/g, " ");
}

/** Returns a value as JSON in which every control character is escaped: JSON itself leaves some as they are. */
export function printableJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(
    CONTROL,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
