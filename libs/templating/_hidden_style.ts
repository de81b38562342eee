/** Whether texts have a size. Texts of size 0 are in the source, but invisible. */
export type TextSize = "none" | "some";

/** A zero length, with or without `!important`. */
const ZERO = /^0(?:\.0*)?(?:px|pt|em|rem|%)?$/;

/**
 * Returns whether mail clients hide an element with its content. `mso-hide: all` alone hides only from
 * Outlook: it is used on buttons that Outlook draws in another way.
 */
export function isHiddenElement(attributes: Readonly<Record<string, string>>): boolean {
  if (attributes["hidden"] !== undefined || attributes["aria-hidden"] === "true") return true;
  const style = declarationsOf(attributes["style"] ?? "");
  const isFlat = ZERO.test(style.get("max-height") ?? "") || ZERO.test(style.get("height") ?? "");
  return style.get("display") === "none" || style.get("visibility") === "hidden" ||
    ZERO.test(style.get("opacity") ?? "") ||
    isFlat && (style.get("overflow") === "hidden" || style.get("mso-hide") === "all");
}

/** Returns the size of texts in a style, which elements inside may change again. */
export function textSizeOf(style: string): TextSize | undefined {
  const declarations = declarationsOf(style);
  const size = declarations.get("font-size") ?? sizeIn(declarations.get("font"));
  return size === undefined ? undefined : ZERO.test(size) ? "none" : "some";
}

/** Returns the size in `font: italic 12px/1.5 Arial`. */
function sizeIn(font: string | undefined): string | undefined {
  if (font === undefined) return undefined;
  return font.split(/[\s/]+/).find((word) =>
    /^[\d.]+[a-z%]*$/.test(word) && !/^[1-9]00$/.test(word)
  ) ??
    font;
}

/** Returns the declarations of a `style` attribute, names and values in lower case. */
export function declarationsOf(style: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const declaration of style.toLowerCase().split(";")) {
    const colon = declaration.indexOf(":");
    if (colon < 0) continue;
    const value = declaration.slice(colon + 1).replace("!important", "").trim();
    found.set(declaration.slice(0, colon).trim(), value);
  }
  return found;
}
