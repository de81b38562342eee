import type { PageOptions, TemplateKind } from "@posthaste/contracts";
import { type HtmlTag, tagsOf } from "./html_tags.ts";
import { lintCss } from "./_lint_css.ts";
import { contrastOf } from "./_contrast.ts";
import { type ImageAddress, imageAddresses, IMAGES } from "./_image_addresses.ts";
import type { Found, Report } from "./lint_finding.ts";
import { openPlaces } from "./_open_places.ts";
import { withoutComments } from "./_without_comments.ts";

/** The use of the HTML. */
export interface HtmlUse {
  kind: TemplateKind;
  page: PageOptions | null;
}

/** What looks at one tag of an HTML, as it was written. */
type TagRule = (tag: HtmlTag, report: Report, html: string) => void;

const LINKS = new Set(["a", "mj-button", "mj-navbar-link", "mj-social-element"]);
const NOT_IN_MAIL = new Set(["iframe", "object", "embed", "video", "audio"]);
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
const PLACEHOLDER = /^(?:#|todo|tbd|xxx+)?$/i;
const UNESCAPED = /\{\{\{|\{\{~?&/g;
const SCRIPT_TYPE = /^(?:|module|(?:text|application)\/(?:x-)?(?:java|ecma)script)$/i;
/** WCAG 2.2, 1.4.3: for texts of normal size. */
const LEAST_CONTRAST = 4.5;

const ALWAYS: readonly TagRule[] = [lintScript];
const IN_MAIL: readonly TagRule[] = [lintForm, lintMailImage, lintLink, lintContrast];

/** Checks an author's HTML or MJML. Findings have their places in it. */
export function lintHtml(html: string, use: HtmlUse): Found[] {
  const shown = withoutComments(html);
  const placeOf = openPlaces(shown);
  const found: Found[] = [];
  const report: Report = (rule, at, message) =>
    found.push({ part: "html", ...placeOf(at), rule, message });
  const rules = use.kind === "email" ? [...ALWAYS, ...IN_MAIL] : [...ALWAYS, lintPrinted(use.page)];
  const tags = [...tagsOf(shown)].filter(outsideDefaults(shown));
  for (const tag of tags) for (const rule of rules) rule(tag, report, shown);
  if (use.kind === "email") lintCss(tags, { html: shown, report });
  for (const { index } of shown.matchAll(UNESCAPED)) {
    const what =
      "The value is inserted into the HTML without escaping: a person who controls it can change the document";
    report("unescaped_value", index, what);
  }
  return found;
}

/** Returns a filter without the content of `mj-attributes`: it contains defaults, not tags of the mail. */
function outsideDefaults(html: string): (tag: HtmlTag) => boolean {
  const start = html.search(/<mj-attributes[\s>]/i);
  const end = html.indexOf("</mj-attributes", start);
  return (tag) => start < 0 || tag.start <= start || tag.start >= end;
}

function lintScript(tag: HtmlTag, report: Report): void {
  // Data for Gmail, such as `application/ld+json`, is no script.
  if (tag.name === "script" && SCRIPT_TYPE.test(attribute(tag, "type")?.trim() ?? "")) {
    report("script", tag.start, "Scripts do not run in mail and PDFs");
  }
  for (const name of ["href", "src", "action"]) {
    if (/^\s*javascript:/i.test(attribute(tag, name) ?? "")) {
      report(
        "javascript_link",
        tag.start,
        "Scripts do not run in mail and PDFs: the link does nothing",
      );
    }
  }
}

function lintForm({ name, start }: HtmlTag, report: Report): void {
  if (name === "form") report("form", start, "Forms do not work in most mail clients");
  if (NOT_IN_MAIL.has(name)) report("not_in_mail", start, `Mail clients remove <${name}>`);
}

function lintMailImage(tag: HtmlTag, report: Report, html: string): void {
  const { name, start } = tag;
  const addresses = imageAddresses(tag, html);
  lintRelativeImages(addresses, report);
  for (const { address, at } of addresses.filter(({ address }) => /^http:/i.test(address))) {
    report(
      "http_image",
      at,
      `Many mail clients do not load images without TLS (${shortened(address)})`,
    );
  }
  if (!IMAGES.has(name)) return;
  if (attribute(tag, "alt") === undefined) {
    report(
      "image_without_alt",
      start,
      "The image has no description for readers who do not see it",
    );
  }
  if (/^data:/i.test(attribute(tag, "src")?.trim() ?? "")) {
    report("data_image", start, "Gmail and Outlook do not show images within the HTML (data:)");
  }
}

function lintRelativeImages(addresses: readonly ImageAddress[], report: Report): void {
  for (const { address, at } of addresses) {
    if (!isRelative(address)) continue;
    report("relative_image", at, `"${shortened(address)}" is not a complete address`);
  }
}

function lintLink(tag: HtmlTag, report: Report): void {
  const { name, start } = tag;
  if (!LINKS.has(name)) return;
  const href = attribute(tag, "href")?.trim();
  if (href === undefined) {
    const isAnchor = attribute(tag, "name") !== undefined || attribute(tag, "id") !== undefined;
    const mayLack = isAnchor || name === "mj-social-element";
    if (!mayLack) report("link_without_href", start, "The link has no target");
  } else if (PLACEHOLDER.test(href)) {
    report("link_placeholder", start, "The link has no target");
  } else if (isRelative(href)) {
    report("relative_address", start, `"${shortened(href)}" is not a complete address`);
  }
}

function lintContrast(tag: HtmlTag, report: Report): void {
  const ratio = contrastOf(tag);
  if (ratio === undefined || ratio >= LEAST_CONTRAST) return;
  report("low_contrast", tag.start, `The contrast of the text is only ${ratio.toFixed(1)}`);
}

function lintPrinted(page: PageOptions | null): TagRule {
  return (tag, report, html) => {
    const addresses = imageAddresses(tag, html);
    lintRelativeImages(addresses, report);
    if (page?.images === "remote") return;
    const fails = page?.missing !== "leave_out";
    const message = fails
      ? "Messages with this PDF fail: the page's options do not allow images from the web"
      : "The image is left out: the page's options do not allow images from the web";
    // A rule of a style sheet that fits no element loads nothing: the print shows what does.
    const first = addresses.find(({ address, isInSheet }) =>
      !isInSheet && /^(?:https?:)?\/\//i.test(address)
    );
    if (first !== undefined) {
      report(fails ? "pdf_image_blocked" : "remote_image", first.at, message);
    }
  };
}

/** Returns whether an address is relative. One that begins with a placeholder may be anything. */
function isRelative(address: string): boolean {
  return address !== "" && !SCHEME.test(address) && !/^(?:\{\{|#|\/\/)/.test(address) &&
    !FOREIGN_START.test(address);
}

/** Placeholders of other products, which have a rule of their own. */
const FOREIGN_START = /^(?:<%|\*\||%%|%recipient\.|\{%|\[\[?|\$\{)/;

function attribute({ attributes }: HtmlTag, name: string): string | undefined {
  return attributes.find((one) => one.name === name)?.value;
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
