import { pageOptionsSchema } from "@posthaste/contracts";
import type { HtmlAttribute, HtmlTag, LintRule } from "@posthaste/templating";
import {
  attributeOf,
  type Change,
  changed,
  endOf,
  type Planted,
  type RealTemplate,
  someOf,
} from "./plant.ts";

/** Markup that breaks a rule wherever it is, in mails and in PDFs. */
const ANYWHERE: readonly [LintRule, string][] = [
  ["script", '<script src="https://shop.example/a.js"></script>'],
  ["foreign_tag", "*|FNAME|*"],
  ["foreign_tag", "<%name%>"],
  ["foreign_tag", "%%first_name%%"],
  ["foreign_tag", "%recipient.name%"],
  ["foreign_tag", "{% if vip %}"],
  ["unescaped_value", "{{{@root.planted}}}"],
  ["unescaped_value", "{{&@root.planted}}"],
  ["unknown_asset", '<img alt="" src="{{asset "planted"}}">'],
  ["relative_image", '<img alt="" src="images/planted.png">'],
];

/** Markup that breaks a rule in mails. */
const IN_MAIL: readonly [LintRule, string][] = [
  ["form", '<form action="https://shop.example/rate"></form>'],
  ["not_in_mail", '<video src="https://shop.example/film.mp4"></video>'],
  ["low_contrast", '<span style="color:#999999;background-color:#ffffff">Imprint</span>'],
  ["data_image", '<img alt="" src="data:image/png;base64,iVBORw0KGgo=">'],
  ["relative_image", '<img alt="" srcset="images/planted.png 2x" src="https://x.example/a.png">'],
  ["link_without_href", '<a class="button">Pay</a>'],
  ["http_image", '<IMG ALT="" SRC=http://shop.example/planted.png>'],
  ["http_image", "<table background='http://shop.example/planted.png'></table>"],
  ["http_image", '<span style="background: url(http://shop.example/planted.png)">x</span>'],
  ["javascript_link", '<a href="&#106;avascript:print()">Print</a>'],
  ["javascript_link", "<A HREF=' JavaScript:print()'>Print</A>"],
  ["image_without_alt", "<IMG SRC='https://shop.example/planted.png'>"],
];

const REMOTE_IMAGE = '<img alt="" src="https://shop.example/planted.png">';

const WITH_TEXT = new Set(["td", "p", "div", "li", "mj-text"]);
const IMAGES = new Set(["img", "mj-image"]);
const LINKS = new Set(["a", "mj-button"]);

/** CSS that mail clients ignore. One that a template has is not reported again. */
const IGNORED: readonly [RegExp, string][] = [
  [/display\s*:\s*(?:inline-)?flex/i, "display:flex"],
  [/position\s*:\s*(?:absolute|fixed|sticky)/i, "position:absolute"],
  [/transform\s*:/i, "transform:rotate(1deg)"],
];

/** Returns the faults in a template's HTML. */
export function htmlPlants(template: RealTemplate): Planted[] {
  const changes = [
    ...inserted(template),
    ...inHead(template),
    ...(template.kind === "email" ? [...inImages(template), ...inLinks(template)] : []),
    ...(template.kind === "email" ? inCss(template) : remoteImages(template)),
  ];
  return changes.map((change) => changed(template, change));
}

/** What is in the head: a script, and the mark of another product in the title. */
function inHead({ html }: RealTemplate): Change[] {
  const head = html.indexOf("</head>");
  const title = html.search(/<\/title>/i);
  return [
    ...(head < 0 ? [] : [{ rule: "script", start: head, text: "<script>a()</script>" } as const]),
    ...(title < 0 ? [] : [{ rule: "foreign_tag", start: title, text: "*|MC:SUBJECT|*" } as const]),
  ];
}

function inserted(template: RealTemplate): Change[] {
  const places = someOf(template.tags.filter(({ name }) => WITH_TEXT.has(name)));
  const all = template.kind === "email" ? [...ANYWHERE, ...IN_MAIL] : ANYWHERE;
  return places.flatMap((tag) =>
    all.map(([rule, text]) => ({ rule, start: endOf(template, tag), text }))
  );
}

function inImages({ tags }: RealTemplate): Change[] {
  const images = tags.filter(({ name }) => IMAGES.has(name));
  const remote = withAttribute(images, "src", /^(?:https:|\{\{(?![{&]))/);
  return [
    ...remote.flatMap(({ tag, attribute }): Change[] => [
      { ...written(tag, attribute, "images/planted.png"), rule: "relative_image" },
      { ...written(tag, attribute, "http://shop.example/planted.png"), rule: "http_image" },
      { ...written(tag, attribute, "data:image/png;base64,iVBORw0KGgo="), rule: "data_image" },
    ]),
    ...withAttribute(images, "alt", /^/).map(({ tag, attribute }): Change => (
      { ...removed(tag, attribute), rule: "image_without_alt" }
    )),
  ];
}

function inLinks({ tags }: RealTemplate): Change[] {
  const links = tags.filter(({ name }) => LINKS.has(name));
  return withAttribute(links, "href", /^(?:https?:|mailto:|\{\{(?![{&]))/).flatMap(
    ({ tag, attribute }): Change[] => [
      { ...written(tag, attribute, "javascript:print()"), rule: "javascript_link" },
      { ...written(tag, attribute, "#"), rule: "link_placeholder" },
      { ...written(tag, attribute, "orders.html"), rule: "relative_address" },
      { ...written(tag, attribute, "*|URL|*"), rule: "foreign_tag", at: attribute.start },
      {
        ...written(tag, attribute, "<%asm_group_unsubscribe_raw_url%>"),
        rule: "foreign_tag",
        at: attribute.start,
      },
      ...(attributeOf(tag, "id") ?? attributeOf(tag, "name")
        ? []
        : [{ ...removed(tag, attribute), rule: "link_without_href" } as const]),
    ],
  );
}

function inCss({ html, tags }: RealTemplate): Change[] {
  const [, css] = IGNORED.find(([pattern]) => !pattern.test(html)) ?? [];
  if (css === undefined) return [];
  const rule = "css_unsupported";
  const styles = withAttribute(tags, "style", /^[^{]+$/).map(({ tag, attribute }): Change => ({
    ...{ ...written(tag, attribute, `${css};${attribute.value}`), rule },
    at: attribute.start,
  }));
  const sheets = tags.flatMap(({ name, text }) => name === "style" && text ? [text.start] : []);
  return [
    ...styles,
    ...someOf(sheets).flatMap((start): Change[] => [
      { rule, start, text: `.planted { ${css} } ` },
      { rule: "http_image", start, text: ".planted { background: url(http://x.example/a.png) } " },
    ]),
  ];
}

/** In a PDF, whose options do not allow images from the web. */
function remoteImages(template: RealTemplate): Change[] {
  const page = pageOptionsSchema.parse({});
  return someOf(template.tags.filter(({ name }) => WITH_TEXT.has(name))).flatMap((tag) => {
    const start = endOf(template, tag);
    const change = (rule: LintRule, missing: "fail" | "leave_out"): Change => ({
      ...{ rule, start, text: REMOTE_IMAGE },
      overrides: { source: { page: { ...page, missing } } },
    });
    return [change("pdf_image_blocked", "fail"), change("remote_image", "leave_out")];
  });
}

interface Attributed {
  tag: HtmlTag;
  attribute: HtmlAttribute;
}

function withAttribute(tags: readonly HtmlTag[], name: string, value: RegExp): Attributed[] {
  return someOf(tags.flatMap((tag) => {
    const attribute = attributeOf(tag, name);
    return attribute !== undefined && value.test(attribute.value) ? [{ tag, attribute }] : [];
  }));
}

function written({ start: at }: HtmlTag, { name, start, end }: HtmlAttribute, value: string) {
  return { start, end, at, text: `${name}="${value.replaceAll('"', "&quot;")}"` };
}

function removed({ start: at }: HtmlTag, { start, end }: HtmlAttribute) {
  return { start, end, at, text: "" };
}
