import { readSignedNumber, SIGNS } from "./mark_signs.ts";

/** A marked text in what was rendered. */
export interface MarkedText {
  type: "text" | "partial";
  /** Its number in the source, or that of its partial. A text in a loop occurs several times. */
  number: number;
  /** Its place in {@linkcode ReadMarks.text}. */
  start: number;
  end: number;
}

/** What the signs in a rendered text say. */
export interface ReadMarks {
  /** Without signs. */
  text: string;
  texts: MarkedText[];
  /** What was printed for the values of each text, by its number: of its first occurrence. */
  values: ReadonlyMap<number, readonly string[]>;
}

/** The number of a subject, which has no signs of its own. */
export const WHOLE = -1;

const DIGITS = "[\ufdd0-\ufdd9]+";
const SIGN = new RegExp(
  `([${SIGNS.text}${SIGNS.partial}${SIGNS.value}${SIGNS.image}])(${DIGITS})${SIGNS.body}|[${SIGNS.textEnd}${SIGNS.valueEnd}]`,
  "g",
);

/** Reads the signs that the functions of `mark_source.ts` put into what was rendered. */
export function readMarks(marked: string): ReadMarks {
  const texts: MarkedText[] = [];
  const values = new Map<number, string[]>();
  let text = "";
  let from = 0;
  let current: Omit<MarkedText, "end"> = { type: "text", number: WHOLE, start: 0 };
  let value: { index: number; start: number } | undefined;
  for (const { 0: sign, 1: kind, 2: digits = "", index } of marked.matchAll(SIGN)) {
    text += marked.slice(from, index);
    from = index + sign.length;
    if (kind === SIGNS.text || kind === SIGNS.partial) {
      const type = kind === SIGNS.text ? "text" : "partial";
      current = { type, number: readSignedNumber(digits), start: text.length };
    } else if (kind === SIGNS.value) {
      value = { index: readSignedNumber(digits), start: text.length };
    } else if (sign === SIGNS.textEnd) {
      if (current.number !== WHOLE) texts.push({ ...current, end: text.length });
      current = { type: "text", number: WHOLE, start: text.length };
    } else if (value !== undefined) {
      const known = values.get(current.number) ?? [];
      known[value.index] ??= text.slice(value.start).replace(/\s+/g, " ").trim();
      if (current.type === "text") values.set(current.number, known);
      value = undefined;
    }
  }
  return { text: text + marked.slice(from), texts, values };
}

const IMAGE = new RegExp(`${SIGNS.image}(${DIGITS})${SIGNS.body}`);

/** Returns the number of an image by its marked description, or null if it has none. */
export function readImageMark(description: string): number | null {
  const [, digits] = IMAGE.exec(description) ?? [];
  return digits === undefined ? null : readSignedNumber(digits);
}
