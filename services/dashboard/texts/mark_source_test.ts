import assert from "node:assert/strict";
import { test } from "node:test";
import { publishEmail } from "@posthaste/templating";
import { EXAMPLES } from "../templates/examples.ts";
import { imageRanges, shownImage } from "./image_ranges.ts";
import { linkMarks } from "./link_marks.ts";
import { markPartial, markPlainText, markSource, markTextPart } from "./mark_source.ts";
import { textRanges } from "./text_ranges.ts";

const SIGN = /[\ufdda\ufddb][\ufdd0-\ufdd9]+\ufddc|[\ufddd\ufdde]/g;

test("markSource() adds nothing but signs, and only to texts and descriptions of images", () => {
  const source =
    `<p>Hi {{ name }}, <a href="{{ url }}">{{ b }}</a></p><img alt="Logo" src="a"><img src="b">`;
  const marked = markSource(source);
  assert.equal(
    marked,
    `<p>\ufdda\ufdd0\ufddcHi \ufddb\ufdd0\ufddc{{ name }}\ufdde, <a href="{{ url }}">` +
      `\ufddb\ufdd1\ufddc{{ b }}\ufdde</a>\ufddd</p>` +
      `<img alt="\ufde0\ufdd0\ufddcLogo" src="a"><img alt="\ufde0\ufdd1\ufddc" src="b">`,
  );
  assert.equal(markSource("<p>a\ufddfb</p>"), "<p>a\ufddfb</p>");
  assert.equal(markPlainText("A {{ b }}"), "A \ufddb\ufdd0\ufddc{{ b }}\ufdde");
});

test("markSource() survives publishing: the page differs by signs only, and has each text", async () => {
  const css =
    "<html><head><style>p { color: red }</style></head><body><p>Hi {{ a }} &amp; b</p></body></html>";
  const sources = [...EXAMPLES.email.map(({ source }) => source.html ?? ""), css];
  for (const html of sources.filter((html) => html !== "")) {
    const plain = await publishEmail({ subject: "x", html });
    const marked = await publishEmail({ subject: "x", html: markSource(html) });
    assert.equal(marked.html.replace(SIGN, ""), plain.html);
    const count = marked.html.match(/\ufdda/g)?.length ?? 0;
    assert.ok(count >= textRanges(html).length, html);
  }
});

test("a written text means the same after publishing", async () => {
  const html =
    "<style>p { color: red }</style><p>1 &lt; 2 &#123;&#123;x&#125;&#125; &#92;{{ a }}&#125;&nbsp;</p>";
  const { html: published } = await publishEmail({ subject: "x", html });
  assert.match(
    published,
    /1 &lt; 2 (?:&#123;|&#x7b;){2}x(?:&#125;|&#x7d;){2} (?:&#92;|&#x5c;)\{\{ a \}\}/i,
  );
});

test("linkMarks() puts a link around each text and image, and uses those of the document", () => {
  const cases: [string, string][] = [
    ["<p>Hi</p>", `<p><a href="https://posthaste.invalid/text/0/0" style="all:unset">Hi</a></p>`],
    [
      `<p>a <a href="x">b</a> c</p>`,
      `<p><a href="https://posthaste.invalid/text/0/0" style="all:unset">a </a>` +
      `<a href="https://posthaste.invalid/text/0/0" href="x">b</a>` +
      `<a href="https://posthaste.invalid/text/0/0" style="all:unset"> c</a></p>`,
    ],
    [
      `<a href="x"><p>b</p></a>`,
      `<a href="https://posthaste.invalid/text/0/0" href="x"><p>b</p></a>`,
    ],
    [
      "<p>a</p><p>b</p>",
      `<p><a href="https://posthaste.invalid/text/0/0" style="all:unset">a</a></p>` +
      `<p><a href="https://posthaste.invalid/text/1/1" style="all:unset">b</a></p>`,
    ],
    [
      `<img src="a">`,
      `<a href="https://posthaste.invalid/image/0/0" style="all:unset"><img alt="" src="a"></a>`,
    ],
  ];
  for (const [source, linked] of cases) assert.equal(linkMarks(markSource(source)), linked);
});

test("markTextPart() and markPartial() put signs around texts only", () => {
  assert.equal(
    markTextPart("Hi {{ a }}\n\n{{#each l}}\n- {{ b }}\n{{/each}}"),
    "\ufdda\ufdd0\ufddcHi \ufddb\ufdd0\ufddc{{ a }}\ufdde\ufddd\n\n{{#each l}}\n" +
      "\ufdda\ufdd1\ufddc- \ufddb\ufdd0\ufddc{{ b }}\ufdde\ufddd\n{{/each}}",
  );
  const partial = markPartial(`<p title="x">Hi {{ a }}</p>{{> @partial-block}}<p>b</p>`, 12);
  assert.equal(
    partial,
    `<p title="x">\ufde1\ufdd1\ufdd2\ufddcHi {{ a }}\ufddd</p>{{> @partial-block}}` +
      `<p>\ufde1\ufdd1\ufdd2\ufddcb\ufddd</p>`,
  );
  assert.equal(
    linkMarks(markPartial("<p>b</p>", 3)),
    `<p><a href="https://posthaste.invalid/partial/3/0" style="all:unset">b</a></p>`,
  );
});

test("shownImage() returns the stored image that an image shows", () => {
  const source =
    `<img src={{ logo }} alt="a"><mj-image src='{{asset "a.png"}}' /><img src="{{asset "b"}}">`;
  const [first, second, third] = imageRanges(source);
  assert.ok(first && second && third);
  assert.equal(shownImage(source, first), undefined);
  assert.equal(shownImage(source, second), "a.png");
  assert.equal(shownImage(source, third), "b");
});
