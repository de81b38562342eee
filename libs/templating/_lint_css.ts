import { type HtmlTag, STYLE_SHEETS } from "./html_tags.ts";
import { IGNORED_CSS } from "./_ignored_css.ts";
import type { Report } from "./lint_finding.ts";

const DECLARATION =
  /(?<![\w-])([a-z][a-z-]{2,30})\s{0,20}:\s{0,20}("[^"\n]{0,80}"|'[^'\n]{0,80}'|[^;{}"'!]{1,80})/gi;

/** Finds CSS that large mail clients ignore, each kind at its first place. */
export function lintCss(
  tags: readonly HtmlTag[],
  { html, report }: { html: string; report: Report },
): void {
  const seen = new Set<string>();
  for (const { from, css } of stylesOf(tags, html)) {
    for (const { 0: text, 1: name = "", 2: value = "", index } of css.matchAll(DECLARATION)) {
      const written = `${name}:${value.trim()}`.toLowerCase();
      const entry = IGNORED_CSS.find(({ css }) => css.test(written));
      if (entry === undefined || seen.has(entry.css.source)) continue;
      seen.add(entry.css.source);
      const verb = entry.by.includes(" and ") ? "ignore" : "ignores";
      report("css_unsupported", from + index, `${entry.by} ${verb} "${text.trim()}"`);
    }
  }
}

function stylesOf(tags: readonly HtmlTag[], html: string): { from: number; css: string }[] {
  return tags.flatMap(({ name, attributes, text }) => {
    if (STYLE_SHEETS.has(name) && text !== undefined) {
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
