import { nearest } from "./_nearest.ts";
import { TAG } from "./_placeholders.ts";
import type { TemplatePart } from "./template_error.ts";

/** A piece of a text, with its place in it. */
export interface BrandPiece {
  readonly text: string;
  readonly at: number;
  /** Whether the text is a value, or has one in it. */
  readonly isMade: boolean;
  /** Why there is no value. */
  readonly fault?: string;
}

/** What a value of a brand must not contain: it would end the text or the attribute around it. */
export const NOT_IN_BRAND = /["<>{}\\\r\n]/;

const WHOLE = /^\{\{\{?~?\s*@brand\.([\w-]+)\s*~?\}?\}\}$/;
const INSIDE = /"[^"]*"|'[^']*'|@brand\.([\w-]+)/g;

/** Cuts a text at the tags that read the brand, and replaces the names by their values. */
export function brandIn(
  text: string,
  { brand, part }: { brand: Readonly<Record<string, string>>; part: TemplatePart },
): BrandPiece[] {
  if (!text.includes("@brand.")) return [{ text, at: 0, isMade: false }];
  const pieces: BrandPiece[] = [];
  let from = 0;
  for (const { 0: tag, index } of text.matchAll(TAG)) {
    if (!tag.includes("@brand.") || /^\\|^\{\{~?!/.test(tag)) continue;
    pieces.push({ text: text.slice(from, index), at: from, isMade: false });
    from = index + tag.length;
    let fault: string | undefined;
    const valueOf = (name: string) => {
      const value = Object.hasOwn(brand, name) ? brand[name] : undefined;
      if (value !== undefined && !NOT_IN_BRAND.test(value)) return value;
      const guess = nearest(name, Object.keys(brand));
      fault = value === undefined
        ? `"@brand.${name}" is not known${
          guess === undefined ? "" : `: did you mean "@brand.${guess}"?`
        }`
        : `"@brand.${name}" has a character that a brand's value cannot have`;
      return "";
    };
    const [, name] = WHOLE.exec(tag) ?? [];
    const made = name === undefined
      ? tag.replaceAll(
        INSIDE,
        (whole, key?: string) => key === undefined ? whole : `"${valueOf(key)}"`,
      )
      : part === "html" || part === "invoice"
      ? valueOf(name).replaceAll("&", "&amp;").replaceAll("'", "&#39;")
      : valueOf(name);
    pieces.push({ text: made, at: index, isMade: true, ...(fault === undefined ? {} : { fault }) });
  }
  pieces.push({ text: text.slice(from), at: from, isMade: false });
  return pieces;
}
