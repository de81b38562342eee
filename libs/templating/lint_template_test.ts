import assert from "node:assert/strict";
import { test } from "node:test";
import { type DraftSource, pageOptionsSchema, type TemplateKind } from "@posthaste/contracts";
import { cpuRatio } from "@posthaste/kit";
import { lintTemplate } from "./lint_template.ts";
import type { LintInput } from "./lint_input.ts";

function emptySource(kind: TemplateKind): DraftSource {
  const page = kind === "pdf" ? pageOptionsSchema.parse({}) : null;
  const texts = { subject: "", html: "", text: "", filename: "", locale: "en" };
  return { ...texts, variables: [], page, sample: {} };
}

const GOOD = { subject: "Hi", html: "<body><p style='display:none'>x</p>Hi", text: "Hi" };

function findingsOf(html: string, changes: Partial<LintInput> = {}) {
  const { kind = "email" } = changes;
  const source = { ...emptySource(kind), html, ...changes.source };
  const input = { kind, variables: [], missing: [], output: GOOD, ...changes, source };
  return lintTemplate(input).map(({ rule, line, column }) =>
    line === null ? rule : `${rule} ${line}:${column}`
  );
}

test("lintTemplate() finds images and links that mail clients do not show, at their places", () => {
  const html = `<p>
<img src="https://i.example/a.png"><img alt="" src="http://i.example/b.png">
<img src="/c.png" alt="c"><a href="#">x</a><a>y</a><a name="z"></a><a href="{{url}}">ok</a>
<a href="mailto:a@example.com">ok</a><a href="about.html">no</a><script>1</script>
{{!-- <img> --}}{{{ raw }}} <!-- <img> --> <mj-image src="{{ photo }}" /><mj-button>x</mj-button>`;
  assert.deepEqual(findingsOf(html).sort(), [
    "http_image 2:36",
    "image_without_alt 2:1",
    "image_without_alt 5:44",
    "link_placeholder 3:27",
    "link_without_href 3:44",
    "link_without_href 5:74",
    "relative_address 4:38",
    "relative_image 3:1",
    "script 4:65",
    "unescaped_value 5:17",
  ]);
  const defaults = "<mj-attributes><mj-button color=red /><mj-image /></mj-attributes>";
  assert.deepEqual(findingsOf(`${defaults}<mj-image alt="">`), []);
  assert.deepEqual(findingsOf("<form action=x><input></form>"), ["form 1:1"]);
});

test("lintTemplate() finds images of backgrounds, style sheets and srcset that no client loads", () => {
  const html = `<style>/* url(x.png) */ @font-face { src: url(a.woff) }
.hero { background: url('img/hero.jpg') } .ok { background: url(https://i.example/a.png) }
</style><mj-section background-url="hero.jpg"><td style="background-image:url(&quot;b.png&quot;)">
<td background="http://i.example/c.png"><p style="background:url(http://i.example/d.png)">
<img alt="" src="https://i.example/a.png" srcset="a.png 1x, https://i.example/b.png 2x">
<p style="background:url({{ hero }});marker:url(#m)"><td background="{{asset "a"}}">`;
  assert.deepEqual(findingsOf(html), [
    ...["relative_image 2:21", "relative_image 3:9", "relative_image 3:47"],
    ...["relative_image 5:1", "http_image 4:1", "http_image 4:41"],
  ]);
  const page = pageOptionsSchema.parse({});
  const printed = (changes: object = {}) =>
    findingsOf(html, {
      ...{ kind: "pdf" as const, source: { ...emptySource("pdf"), html, ...changes } },
    });
  const relative = ["relative_image 2:21", "relative_image 3:47", "relative_image 3:9"];
  assert.deepEqual(printed().sort(), [
    ...["pdf_image_blocked 4:1", "pdf_image_blocked 4:41", "pdf_image_blocked 5:1"],
    ...[...relative, "relative_image 5:1"],
  ]);
  const remote = { page: { ...page, images: "remote" as const } };
  assert.deepEqual(printed(remote).sort(), [...relative, "relative_image 5:1"]);
});

test("lintTemplate() finds CSS that large clients ignore by the data of caniemail", () => {
  const ignored: Record<string, RegExp> = {
    "display: grid": /^Outlook for Windows ignores "display: grid"$/,
    "grid-template-columns: 1fr 2fr": /^Gmail, Outlook and Yahoo ignore/,
    "display: flex": /^Outlook for Windows ignores/,
    "color: var(--brand)": /^Gmail/,
    "width: fit-content": /^Outlook for Windows and Yahoo/,
    "width: 40ch": /^Outlook for Windows and Yahoo/,
    "flex-direction: column": /^Gmail/,
    "gap: 4px": /^Outlook for Windows and Yahoo/,
    "margin-inline: auto": /^Gmail/,
    "padding-block-start: 4px": /^Gmail/,
    "max-inline-size: 40ch": /^Gmail/,
    "inset: 0": /^Gmail/,
    'mask-image: url({{asset "m"}})': /^Gmail/,
    "color: oklch(40% .2 20)": /^Gmail/,
    "background: light-dark(#fff, #000)": /^Gmail/,
    "background-image: linear-gradient(red, blue)": /^Outlook and Yahoo/,
    "width: calc(100% - 4px)": /^Outlook and Yahoo/,
    "font-size: clamp(1px, 2vw, 3px)": /^Outlook and Yahoo/,
    "font-size: 1.5rem": /^Outlook for Windows and Yahoo/,
    "object-fit: cover": /^Outlook for Windows and Yahoo/,
    "column-count: 2": /^Outlook for Windows and Yahoo/,
    "content: '→'": /^Gmail/,
  };
  for (const [css, says] of Object.entries(ignored)) {
    for (const tag of ["style", "mj-style"]) {
      const source = { ...emptySource("email"), html: `<${tag}>a:hover { ${css} }</${tag}>` };
      const found = lintTemplate({
        kind: "email",
        source,
        variables: [],
        missing: [],
        output: GOOD,
      });
      assert.deepEqual(found.map(({ rule }) => rule), ["css_unsupported"], `${tag}: ${css}`);
      assert.match(found[0]?.message ?? "", says);
    }
  }
  for (const css of ["content: ''", "margin: 0 auto", "width: 100%", "min-width: 4px", "a:b"]) {
    assert.deepEqual(findingsOf(`<style>p { ${css} }</style>`), [], css);
  }
});

test("lintTemplate() checks the mail that its recipient gets", () => {
  const large = { ...GOOD, html: GOOD.html + "x".repeat(103 * 1024) };
  assert.deepEqual(findingsOf("", { output: large }), ["gmail_clips"]);
  assert.deepEqual(findingsOf("", { output: { ...GOOD, subject: "" } }), ["empty_subject"]);
  const long = { ...GOOD, subject: "é".repeat(71) };
  assert.deepEqual(findingsOf("", { output: long }), ["subject_too_long"]);
  assert.deepEqual(findingsOf("", { output: { ...GOOD, html: "<p>Hi" } }), ["no_preheader"]);
  const preview = "<mjml><mj-head><mj-preview>x</mj-preview>";
  assert.deepEqual(findingsOf(preview, { output: { ...GOOD, html: "<p>Hi" } }), []);
});

test("lintTemplate() requests a link to unsubscribe only in mail that looks like marketing", () => {
  const links = Array.from({ length: 5 }, (_, n) => `<a href="https://s.example/${n}">x</a>`);
  const html = GOOD.html + links.join("");
  const rules = (text: string, more = "") =>
    findingsOf("", { output: { ...GOOD, html: html + more, text } });
  assert.deepEqual(rules("20% off this week: shop now"), ["missing_unsubscribe"]);
  assert.deepEqual(rules("20% off", '<a href="https://s.example/u">Unsubscribe</a>'), []);
  assert.deepEqual(rules("Your order is on its way"), []);
  assert.deepEqual(findingsOf("", { output: { ...GOOD, text: "20% off" } }), []);
});

test("lintTemplate() compares declared, read and given variables", () => {
  const declared = ["used", "unused"].map((name) => ({ name, required: false }));
  const source = { ...emptySource("email"), variables: declared };
  const at = { paths: [], usedIn: ["subject" as const], line: 2, column: 3 };
  const variables = [{ name: "used", ...at }, { name: "loose", ...at }];
  assert.deepEqual(findingsOf("", { source, variables, missing: ["used"] }), [
    ...["unknown_variable 2:3", "sample_lacks", "unused_variable"],
  ]);
  // The variables of a part with faults are unknown.
  const errors = [{ part: "html" as const, line: 1, column: 1, message: "x" }];
  assert.deepEqual(findingsOf("", { source, variables: [], errors, reason: "x" }), []);
});

test("lintTemplate() returns findings that prevent publishing first", () => {
  const filled = { reason: "too slow", errors: [], warnings: ["Line 3: odd", "odd"] };
  assert.deepEqual(findingsOf("<img src=a.png>", filled), [
    ...["cannot_fill", "relative_image 1:1", "compiler 3:1", "compiler", "image_without_alt 1:1"],
  ]);
  const page = pageOptionsSchema.parse({});
  const blocked = ["https://i.example/a.png"];
  const html = '<img src="https://i.example/a.png">';
  const pdf = (changes: object) => ({
    kind: "pdf" as const,
    source: { ...emptySource("pdf"), html, page: { ...page, ...changes } },
    blocked,
  });
  assert.deepEqual(findingsOf(html, pdf({})), ["pdf_blocked", "pdf_image_blocked 1:1"]);
  assert.deepEqual(findingsOf(html, pdf({ missing: "leave_out" })), ["remote_image 1:1"]);
  assert.deepEqual(findingsOf(html, pdf({ images: "remote", missing: "leave_out" })), []);
});

test("lintTemplate() takes linear time on malicious HTML", async () => {
  for (
    const piece of [
      "%%a<%*|",
      "<p style=transform:@media{",
      "<a href=",
      "{{!",
      "{{{",
      "<!--",
      "<img src='",
      "<style>",
      "<style>url(",
      "<style>/*@font-face{",
      "<p style=url('",
      '<p style="url(',
      "<img srcset=', ",
      "\n<a\n",
    ]
  ) {
    const lint = (length: number) => () => {
      const html = piece.repeat(length / piece.length);
      lintTemplate({
        ...{ kind: "email", variables: [], missing: [] },
        source: { ...emptySource("email"), html },
        output: { subject: "", html, text: html },
      });
    };
    const ratio = await cpuRatio(lint(400_000), lint(25_000), { runs: 3, below: 80 });
    // Linear is 16, quadratic 256. Beside other work, collections of garbage may triple it.
    assert.ok(ratio < 80, `${piece}: ${ratio} times`);
  }
});

test("lintTemplate() compares unknown variables with a part of a long sample alone", async () => {
  const lint = (names: number, read: number) => {
    const sample = Object.fromEntries(Array.from({ length: names }, (_, at) => [`alpha${at}`, 1]));
    const source = { ...emptySource("email"), sample };
    const variables = Array.from({ length: read }, (_, at) => ({
      ...{ name: `bravo${at}`, usedIn: ["html" as const], line: 1, column: 1 },
      paths: [],
    }));
    const input = { kind: "email" as const, variables, missing: [], source, output: GOOD };
    return () => void lintTemplate(input);
  };
  const ratio = await cpuRatio(lint(4_000, 200), lint(400, 20), { runs: 3, below: 40 });
  // All with all is 100.
  assert.ok(ratio < 40, `${ratio} times`);
});

test("lintTemplate() finds stored images that do not exist, are no images, or are too large together", () => {
  const asset = { sha256: "a".repeat(64), filename: "a.png", contentType: "image/png" };
  const use = (
    name: string,
    changes: { size: number; contentType?: string; url?: string } | null,
  ) => ({
    ...{ name, line: 2, column: 3 },
    asset: changes === null ? null : { ...asset, name, ...changes },
  });
  assert.deepEqual(findingsOf("", { assets: [use("a", null), use("b", { size: 1 })] }), [
    "unknown_asset 2:3",
  ]);
  const pdf = { size: 1, contentType: "application/pdf" };
  assert.deepEqual(findingsOf("", { assets: [use("a", pdf)] }), ["asset_not_image 2:3"]);
  const font = [use("a", { size: 1, contentType: "font/woff2" })];
  assert.deepEqual(findingsOf("", { assets: font }), ["asset_not_image 2:3"]);
  assert.deepEqual(findingsOf("", { kind: "pdf", assets: font }), []);
  const large = [use("a", { size: 2_000_000 }), use("b", { size: 1_000_000 })];
  assert.deepEqual(findingsOf("", { kind: "pdf", assets: large }), ["assets_too_large"]);
  assert.deepEqual(findingsOf("", { assets: large }), []);
  const larger = [...large, use("c", { size: 8_000_000 })];
  assert.deepEqual(findingsOf("", { assets: larger }), ["assets_too_large"]);
  const shown = larger.map((one) => ({
    ...one,
    asset: { ...one.asset!, url: "https://x.example" },
  }));
  assert.deepEqual(findingsOf("", { assets: shown }), []);
});

test("lintTemplate() judges the texts of partials, and names the partial", () => {
  const source = { ...emptySource("email"), html: "{{#> base}}<p>Hi</p>{{/base}}" };
  const base = "<body>\n<script>1</script>{{> @partial-block}}";
  const foot = '<img src="logo.png">\n<a href="javascript:x()">*|LIST|*</a>';
  const partials = [{ name: "base", source: base }, { name: "foot", source: foot }];
  const found = lintTemplate({
    ...{ kind: "email", source, variables: [], missing: [], output: GOOD, partials },
  });
  assert.deepEqual(
    found.map(({ rule, line, column, partial }) => `${partial}:${line}:${column} ${rule}`),
    [
      "base:2:1 script",
      "foot:1:1 relative_image",
      "foot:2:1 javascript_link",
      "foot:2:26 foreign_tag",
      "foot:1:1 image_without_alt",
    ],
  );
});

test("lintTemplate() names the partial with an unknown variable", () => {
  const source = { ...emptySource("email"), variables: [{ name: "imprint", required: true }] };
  const place = { line: 3, column: 5, partial: "foot" };
  const read = { name: "imprnt", paths: ["imprnt"], usedIn: ["html" as const], ...place };
  const variables = [{ ...read, name: "imprint" }, read];
  const [finding] = lintTemplate({ kind: "email", source, variables, missing: [], output: GOOD });
  const { rule, line, column, partial } = finding ?? {};
  assert.deepEqual({ rule, line, column, partial }, { rule: "unknown_variable", ...place });
});

test("lintTemplate() suggests a name for the variable with the password of a PDF", () => {
  const find = (passwordVariable: string) => {
    const source = {
      ...{ subject: "", html: "", text: "", filename: "", locale: "en" },
      ...{ page: pageOptionsSchema.parse({ passwordVariable }), sample: { customer: {} } },
      variables: [{ name: "password", required: true }],
    };
    return lintTemplate({ kind: "pdf", source, variables: [], missing: [] })
      .filter(({ rule }) => rule === "password_undeclared").map(({ message }) => message);
  };
  assert.deepEqual(find("pasword"), [
    'The variable "pasword", the password of the PDF, is not declared: did you mean "password"?',
  ]);
  assert.deepEqual(find("customer.code"), [
    'The variable "customer", the password of the PDF, is not declared',
  ]);
  assert.deepEqual(find("password"), []);
});
