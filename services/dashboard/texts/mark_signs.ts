/**
 * The signs that mark texts while a preview is rendered. They are noncharacters of Unicode, which are for use
 * inside a program, so no text has them. They pass through MJML, CSS inlining and Handlebars as text does, and
 * change no element of the page.
 */
export const SIGNS = {
  /** A text begins: its number, then `body`. */
  text: "\ufdda",
  /** A value in it begins: its number, then `body`. */
  value: "\ufddb",
  /** Ends a number. */
  body: "\ufddc",
  textEnd: "\ufddd",
  valueEnd: "\ufdde",
  /** Stands for each character of a tag of Handlebars while HTML is read. */
  hidden: "\ufddf",
  /** In the description of an image: its number, then `body`. */
  image: "\ufde0",
  /** A text of a partial begins: the number of the partial, then `body`. It ends as any text. */
  partial: "\ufde1",
} as const;

const ANY = /[\ufdd0-\ufdef]/;

/** Returns whether a text has a sign that marks texts. */
export function hasSigns(text: string): boolean {
  return ANY.test(text);
}

/** Returns a number in signs. */
export function signedNumber(number: number): string {
  return [...String(number)].map((digit) => String.fromCharCode(0xfdd0 + Number(digit))).join("");
}

/** Returns the number in signs. */
export function readSignedNumber(signs: string): number {
  return Number([...signs].map((sign) => sign.charCodeAt(0) - 0xfdd0).join(""));
}
