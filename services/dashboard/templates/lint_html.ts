import type { PageOptions, TemplateKind } from "@posthaste/contracts";
import { type HtmlTag, tagsOf } from "@posthaste/templating";
import type { Found, LintRule } from "./lint_template.ts";

/** What the HTML is for. */
export interface HtmlUse {
  kind: TemplateKind;
  page: PageOptions | null;
}

const IMAGES = new Set(["img", "mj-image", "mj-carousel-image"]);
const LINKS = new Set(["a", "mj-button", "mj-navbar-link", "mj-social-element"]);
const NOT_IN_MAIL = new Set(["script", "iframe", "object", "embed", "form", "video", "audio"]);
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
const PLACEHOLDER = /^(?:#|javascript:.*|todo|tbd|xxx+)?$/i;
const UNESCAPED = /\{\{\{|\{\{~?&/g;

/** Looks at what an author wrote, HTML or MJML: findings have their places in it. */
export function lintHtml(html: string, use: HtmlUse): Found[] {
  const shown = withoutComments(html);
  const placeOf = openPlaces(shown);
  const found: Found[] = [];
  const report = (rule: LintRule, at: number, message: string) =>
    found.push({ part: "html", ...placeOf(at), rule, message });
  // What stands there are defaults, not tags of the mail.
  const defaults = shown.search(/<mj-attributes[\s>]/i);
  const afterDefaults = shown.indexOf("</mj-attributes", defaults);
  for (const tag of tagsOf(shown)) {
    if (defaults >= 0 && tag.start > defaults && tag.start < afterDefaults) continue;
    if (use.kind === "email") lintMailTag(tag, report);
    else lintPrintedTag(tag, { page: use.page, report });
  }
  for (const { index } of shown.matchAll(UNESCAPED)) {
    const what =
      "The value is inserted into the HTML without escaping: a person who controls it can change the document";
    report("unescaped_value", index, what);
  }
  return found;
}

type Report = (rule: LintRule, at: number, message: string) => void;

function lintMailTag(tag: HtmlTag, report: Report): void {
  const { name, start } = tag;
  if (NOT_IN_MAIL.has(name)) {
    report("not_in_mail", start, `Mail clients remove <${name}>`);
  }
  if (IMAGES.has(name)) {
    const src = attribute(tag, "src")?.trim();
    if (attribute(tag, "alt") === undefined) {
      const message = 'Describe the image: alt="…", or alt="" if it is decoration';
      report("image_without_alt", start, message);
    }
    if (src !== undefined && /^http:/i.test(src)) {
      report("http_image", start, "Mail clients do not load images without TLS: use https");
    }
    if (src !== undefined && isRelative(src)) {
      report(
        "relative_address",
        start,
        `"${shortened(src)}" is not a complete URL: write https://…`,
      );
    }
  }
  if (LINKS.has(name)) lintLink(tag, report);
}

function lintLink(tag: HtmlTag, report: Report): void {
  const { name, start } = tag;
  const href = attribute(tag, "href")?.trim();
  if (href === undefined) {
    const isAnchor = attribute(tag, "name") !== undefined || attribute(tag, "id") !== undefined;
    const mayLack = isAnchor || name === "mj-social-element";
    if (!mayLack) report("link_without_href", start, "The link has no target: add href");
  } else if (PLACEHOLDER.test(href)) {
    report("link_placeholder", start, "The link has no target: set href");
  } else if (isRelative(href)) {
    report(
      "relative_address",
      start,
      `"${shortened(href)}" is not a complete URL: write https://…`,
    );
  }
}

function lintPrintedTag(
  tag: HtmlTag,
  { page, report }: { page: PageOptions | null; report: Report },
): void {
  if (!IMAGES.has(tag.name)) return;
  const src = attribute(tag, "src")?.trim() ?? "";
  if (/^https?:/i.test(src) && page?.images !== "remote") {
    const message = "Images from the web are not loaded: allow them in the page's options, or " +
      "write the image into the document (data:)";
    report("remote_image", tag.start, message);
  } else if (isRelative(src)) {
    report("relative_address", tag.start, `"${shortened(src)}" is not a complete URL`);
  }
}

/** An address that begins with a placeholder may be anything. */
function isRelative(address: string): boolean {
  return address !== "" && !SCHEME.test(address) && !/^(?:\{\{|#|\/\/)/.test(address);
}

/**
 * Blanks out the comments of the template: what is left stands where it stood. An expression for it
 * would look for the end of each of many comments that have none.
 */
function withoutComments(html: string): string {
  let shown = "";
  let from = 0;
  for (let at = html.indexOf("{{!"); at >= 0; at = html.indexOf("{{!", from)) {
    const close = html.startsWith("{{!--", at) ? "--}}" : "}}";
    const end = html.indexOf(close, at + 3);
    if (end < 0) break;
    const comment = html.slice(at, end + close.length);
    shown += html.slice(from, at) + comment.replace(/[^\n]/g, " ");
    from = at + comment.length;
  }
  return shown + html.slice(from);
}

function attribute({ attributes }: HtmlTag, name: string): string | undefined {
  return attributes.find((one) => one.name === name)?.value;
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** Returns what tells line and column, from 1, of a position; positions may come in any order. */
function openPlaces(text: string): (at: number) => { line: number; column: number } {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (at) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= at) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: at - (starts[low] ?? 0) + 1 };
  };
}
