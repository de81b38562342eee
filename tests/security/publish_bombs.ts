/** HTML, CSS or MJML made to exhaust the tools that compile it. */
export interface PublishBomb {
  readonly name: string;
  readonly html: string;
  /** Ends at the time limit, or not far from it. */
  readonly isLong?: boolean;
}

const mjml = (body: string, head = "") =>
  `<mjml><mj-head>${head}</mj-head><mj-body>${body}</mj-body></mjml>`;
const text = (inner: string) =>
  `<mj-section><mj-column><mj-text>${inner}</mj-text></mj-column></mj-section>`;
const numbers = (length: number) => Array.from({ length }, (_, n) => n);

/**
 * Returns sources whose publication costs too much, or reads forbidden files.
 *
 * @param canary Address that records requests, such as `http://127.0.0.1:1234`
 * @param file a file whose content must not appear
 */
export function publishBombs(canary: string, file: string): PublishBomb[] {
  const includes = [file, `file://${file}`, `${canary}/x.mjml`, "../../../../etc/passwd"];
  return [
    ...includes.flatMap((path) => [
      { name: `mj-include ${path}`, html: mjml(`<mj-include path="${path}" />`) },
      {
        name: `mj-include of html ${path}`,
        html: mjml(text("x") + `<mj-include path='${path}' type="html"/>`),
      },
      {
        name: `mj-include of css ${path}`,
        html: mjml(text("x"), `<MJ-INCLUDE path="${path}" type="css" css-inline="inline" />`),
      },
      {
        name: `mj-include in raw ${path}`,
        html: mjml(`<mj-raw><mj-include path="${path}"></mj-include></mj-raw>`),
      },
    ]),
    {
      name: "addresses in CSS",
      html: `<style>@import url(${canary}/a.css); @import "${canary}/b.css";
        @font-face { font-family: f; src: url(${canary}/f.woff) }
        a { background: url(${canary}/c.png), url(file://${file}) }</style>
        <link rel="stylesheet" href="${canary}/d.css"><a href="x">x</a>`,
    },
    {
      name: "addresses in MJML",
      html: mjml(
        text("x") + `<mj-section background-url="${canary}/g.png"></mj-section>`,
        `<mj-font name="f" href="${canary}/f.css" />
          <mj-style inline="inline">@import url(${canary}/h.css); a { b: url(${canary}/i) }</mj-style>`,
      ),
    },
    { name: "100,000 nested elements", html: "<div>".repeat(100_000) },
    {
      name: "100,000 nested elements with CSS",
      html: `<style>a{b:c}</style>${"<b>".repeat(100_000)}`,
      isLong: true,
    },
    { name: "5,000 nested tables", html: "<table><tr><td>".repeat(5_000) },
    { name: "3,000 nested MJML elements", html: mjml("<mj-section><mj-column>".repeat(3_000)) },
    { name: "30,000 nested elements in MJML", html: mjml(text("<i>".repeat(30_000))) },
    {
      name: "CSS variables that double",
      html: `<style>:root{--a0:xxxxxxxx;${
        numbers(40).map((n) => `--a${n + 1}:var(--a${n})var(--a${n});`).join("")
      }}p{color:var(--a40)}</style><p>x</p>`,
      isLong: true,
    },
    {
      name: "a CSS variable of itself",
      html: "<style>p{--a:var(--a);color:var(--a)}</style><p>x</p>",
      isLong: true,
    },
    {
      name: "4,000 rules on 4,000 elements",
      html: `<style>${numbers(4_000).map((n) => `p p:not(.a${n}) *{b:c${n}}`).join("")}</style>${
        "<p><b>x</b></p>".repeat(4_000)
      }`,
      isLong: true,
    },
    {
      name: "a selector of 20,000 nots",
      html: `<style>p${":not(".repeat(20_000)}a${")".repeat(20_000)}{b:c}</style><p>x</p>`,
    },
    { name: "70,000 styles without an end", html: "<style ".repeat(70_000), isLong: true },
    { name: "CSS of braces", html: `<style>${"{".repeat(400_000)}</style><p>x</p>` },
    { name: "CSS of comments", html: `<style>${"/*".repeat(200_000)}</style><p>x</p>` },
    { name: "40 comments before the HTML", html: "<!-- -->".repeat(40) + "<p>x</p>" },
    { name: "an attribute of 500,000 characters", html: `<p title="${"x".repeat(500_000)}">x</p>` },
    { name: "50,000 attributes", html: `<p ${"a=b ".repeat(50_000)}>x</p>` },
    {
      name: "an element of 50,000 classes",
      html: `<style>a{b:c}</style><p class="${"a ".repeat(50_000)}">`,
    },
    { name: "50,000 unknown MJML elements", html: mjml("<x/>".repeat(50_000)) },
    { name: "5,000 placeholders that MJML drops", html: mjml("{{a}}".repeat(4_900)) },
    { name: "20,000 includes", html: mjml('<mj-include path="x"/>'.repeat(20_000)) },
    {
      name: "MJML attributes that every element inherits",
      html: mjml(
        text("x").repeat(4_000),
        `<mj-attributes><mj-all css-class="${"x".repeat(100_000)}" /></mj-attributes>`,
      ),
    },
    {
      name: "words that stand for placeholders",
      html: `<style>a{b:c}</style>{{x}}${numbers(50_000).map((n) => `phx${n}x`).join("")}`,
    },
    { name: "entities", html: `<p>${"&amp;".repeat(100_000)}&#x110000;&#xD800;&bogus;</p>` },
    { name: "broken marks", html: `<p>${"<".repeat(100_000)}</p>` },
    { name: "open declarations", html: "<!DOCTYPE ".repeat(40_000) },
    { name: "CDATA without an end", html: "<![CDATA[".repeat(50_000) },
  ];
}
