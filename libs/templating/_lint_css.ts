import type { HtmlTag } from "./html_tags.ts";
import type { Report } from "./lint_finding.ts";

/**
 * CSS that large mail clients ignore, and their names. Source: https://www.caniemail.com (its data of June
 * 2026). Harmless cases, such as rounded corners, are not included.
 */
const UNSUPPORTED: readonly { css: RegExp; dropped: string }[] = [
  { css: /^display:(?:inline-)?grid$/, dropped: "Outlook for Windows" },
  { css: /^display:(?:inline-)?flex$/, dropped: "Outlook for Windows" },
  { css: /^position:(?:absolute|fixed|sticky)$/, dropped: "Gmail and Outlook for Windows" },
  { css: /^transform:(?!none)/, dropped: "Gmail and Outlook" },
  { css: /^filter:(?!none|progid|alpha)/, dropped: "Gmail, Outlook and Yahoo" },
  { css: /^clip-path:(?!none)/, dropped: "Gmail, Outlook and Yahoo" },
  { css: /^aspect-ratio:(?!auto)/, dropped: "Gmail, Outlook and Yahoo" },
  { css: /^animation(?:-name)?:(?!none)/, dropped: "Gmail and Outlook" },
];

const DECLARATION =
  /(?<![\w-])(display|position|transform|filter|clip-path|aspect-ratio|animation|animation-name)\s{0,20}:\s{0,20}([^;}"'!]{1,80})/gi;

/** Finds CSS that large mail clients ignore, each kind at its first place. */
export function lintCss(
  tags: readonly HtmlTag[],
  { html, report }: { html: string; report: Report },
): void {
  const seen = new Set<string>();
  for (const { from, css } of stylesOf(tags, html)) {
    for (const { 0: text, 1: name = "", 2: value = "", index } of css.matchAll(DECLARATION)) {
      const written = `${name}:${value.trim()}`.toLowerCase();
      const entry = UNSUPPORTED.find(({ css }) => css.test(written));
      if (entry === undefined || seen.has(entry.css.source)) continue;
      seen.add(entry.css.source);
      report("css_unsupported", from + index, `${entry.dropped} ignore "${text.trim()}"`);
    }
  }
}

function stylesOf(tags: readonly HtmlTag[], html: string): { from: number; css: string }[] {
  return tags.flatMap(({ name, attributes, text }) => {
    if (name === "style" && text !== undefined) {
      return [{ from: text.start, css: mainRules(html.slice(text.start, text.end)) }];
    }
    return attributes.filter((one) => one.name === "style")
      .map(({ start, end }) => ({ from: start, css: html.slice(start, end) }));
  });
}

/** Blanks out `@media` and `@supports`: their rules are meant for only some clients. */
function mainRules(css: string): string {
  let shown = "";
  let depth = 0;
  let inner = 0;
  for (let at = 0; at < css.length; at++) {
    const character = css[at] ?? "";
    if (
      inner === 0 && character === "@" && /^@(?:media|supports)\b/i.test(css.slice(at, at + 10))
    ) {
      inner = depth + 1;
    }
    if (character === "{") depth++;
    shown += inner > 0 && character !== "\n" ? " " : character;
    if (character === "}") {
      depth = Math.max(0, depth - 1);
      if (inner > 0 && depth < inner) inner = 0;
    }
  }
  return shown;
}
