import type { PageOptions } from "@posthaste/contracts";
import type { PageSize } from "./page_size.ts";

/**
 * Returns the `@page` rule of page options: size, margins, and header and footer as page-margin boxes (CSS
 * Paged Media 3, section 5). It goes before the styles of the document, so that a template's own `@page`
 * declarations win, one by one.
 */
export function pageCss(page: Pick<PageOptions, "header" | "footer">, size: PageSize): string {
  const { margin } = size;
  const sides = [margin.top, margin.right, margin.bottom, margin.left].map(inches).join(" ");
  const boxes = [...marginBoxes("top", page.header), ...marginBoxes("bottom", page.footer)];
  return `@page{size:${inches(size.width)} ${inches(size.height)};margin:${sides};` +
    `${boxes.join("")}}`;
}

function marginBoxes(edge: "top" | "bottom", texts: PageOptions["header"]): string[] {
  const places = ["left", "center", "right"] as const;
  return places.flatMap((place) => {
    const text = texts?.[place];
    return text ? [`@${edge}-${place}{content:${contentOf(text)};font:9pt sans-serif}`] : [];
  });
}

/** Returns the value of `content` for text with `{page}` and `{pages}` in it. */
function contentOf(text: string): string {
  return text.split(/(\{pages?\})/).filter((part) => part !== "").map((part) => {
    if (part === "{page}") return "counter(page)";
    if (part === "{pages}") return "counter(pages)";
    return cssString(part);
  }).join(" ");
}

/** Returns a CSS string in which everything but letters, digits and spaces is escaped. */
function cssString(text: string): string {
  const escaped = text.replace(/[^\p{L}\p{N} ]/gu, (char) => {
    const code = char.codePointAt(0) ?? 0;
    return `\\${(code === 0 ? 0xfffd : code).toString(16)} `;
  });
  return `"${escaped}"`;
}

function inches(value: number): string {
  return `${Number(value.toFixed(5))}in`;
}
