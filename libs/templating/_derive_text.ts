import type { BlockTextBuilder, DomNode, Formatter } from "html-to-text";
import { hidePlaceholders } from "./_placeholders.ts";

/**
 * The plain text of an HTML template, placeholders included: a link as `text [address]`, each row
 * of a table as a line, an image as its description.
 */
export async function deriveText(html: string): Promise<string> {
  const { convert } = await import("html-to-text");
  const hidden = hidePlaceholders(html);
  const text = convert(hidden.text, {
    wordwrap: false,
    preserveNewlines: false,
    formatters: { cell, description },
    selectors: [
      ...["h1", "h2", "h3", "h4", "h5", "h6"].map((selector) => ({
        selector,
        options: { uppercase: false },
      })),
      { selector: "a", options: { hideLinkHrefIfSameAsText: true, ignoreHref: false } },
      { selector: "img", format: "description" },
      { selector: "table", format: "block", options: LINES },
      { selector: "tr", format: "block", options: LINES },
      { selector: "td", format: "cell" },
      { selector: "th", format: "cell" },
      { selector: "title", format: "skip" },
      { selector: "[aria-hidden=true]", format: "skip" },
    ],
  });
  return tidyLines(hidden.restore(text));
}

const LINES = { leadingLineBreaks: 1, trailingLineBreaks: 1 };

const cell: Formatter = (node, walk, builder: BlockTextBuilder) => {
  walk(node.children, builder);
  builder.addInline(" ");
};

const description: Formatter = (node: DomNode, _walk, builder) => {
  const alt = node.attribs?.["alt"];
  if (alt) builder.addInline(alt);
};

function tidyLines(text: string): string {
  const lines = text.split("\n").map((line) => line.trimEnd());
  return lines.join("\n").replace(/\n{3,}/g, "\n\n").trim();
}
