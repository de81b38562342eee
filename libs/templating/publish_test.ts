import assert from "node:assert/strict";
import { test } from "node:test";
import { cpuRatio } from "@posthaste/kit";
import { compileTemplate } from "./_compile_template.ts";
import { plainData } from "./_plain_data.ts";
import { isMjml, publishEmail, publishPdf } from "./publish.ts";
import { InvalidTemplateError } from "./template_error.ts";

const INVOICE = `<html><head><style>
  .total { color: {{brand}}; } td { padding: 1px }
  @media (max-width: 600px) { td { padding: 0 } }
  a:hover { color: red }
</style></head><body>
<h1>Invoice {{number}}</h1>
<p class="total">Dear {{default name "friend"}}, <a href="{{url}}?a=1&amp;q={{urlEncode q}}">pay {{{raw}}}</a></p>
<table>
{{#each lines}}
<tr {{#if @first}}id="first"{{/if}}><td>{{name}}</td><td>{{currency price "EUR"}}</td></tr>
{{else}}<tr><td>nothing</td></tr>
{{/each}}
</table>
{{#if (gt total 100)}}<p title="{{default note 'x'}}">Large</p>{{/if}}{{!-- a "note" --}}
<img src="{{logo}}" alt="Logo of {{brandName}}">
</body></html>`;

const DATA = {
  brand: "#123",
  number: 7,
  url: "https://pay.test/7",
  q: "a b",
  raw: "<i>now</i>",
  lines: [{ name: "A & B", price: 1.5 }, { name: "C", price: 2 }],
  total: 200,
  logo: "https://x.test/l.png",
  brandName: "Acme",
};

function fill(source: string, escape: "html" | "none"): string {
  return compileTemplate(source, { escape })(plainData(DATA));
}

function tagsOf(source: string): string[] {
  return source.match(/\{\{\{?[^}]*\}?\}\}/g) ?? [];
}

test("publishEmail() inlines CSS and keeps every placeholder in its place", async () => {
  const { html, warnings } = await publishEmail({ subject: "x", html: INVOICE });
  assert.deepEqual(warnings, []);
  const body = (source: string) => source.slice(source.indexOf("<body"));
  assert.deepEqual(tagsOf(body(html)).filter((tag) => tag !== "{{brand}}"), tagsOf(body(INVOICE)));
  assert.match(html, /<p class="total" style="color: \{\{brand\}\};">/);
  assert.match(html, /<td style="padding: 1px;">\{\{name\}\}<\/td>/);
  assert.match(html, /@media \(max-width: ?600px\)/);
  assert.match(html, /a:hover/);
  assert.match(html, /\?a=1&amp;q=/);
  const filled = fill(html, "html");
  assert.match(filled, /<tr id="first"\s*><td style="padding: 1px;">A &amp; B<\/td>/);
  assert.match(filled, /style="color: #123;"/);
});

test("publishEmail() makes a text part that can be filled: links, rows as lines, no escapes", async () => {
  const { text, textGenerated } = await publishEmail({ subject: "x", html: INVOICE });
  assert.equal(textGenerated, true);
  const lines = fill(text, "none").split("\n").map((line) => line.trim()).filter(Boolean);
  assert.deepEqual(lines, [
    "Invoice 7",
    "Dear friend, pay <i>now</i> [https://pay.test/7?a=1&q=a%20b]",
    "A & B €1.50",
    "C €2.00",
    "Large",
    "Logo of Acme",
  ]);
});

test("publishEmail() keeps a text part that is given, and finds variables in the source", async () => {
  const published = await publishEmail({
    subject: " S {{a}} ",
    html: "<p>{{b}}</p>",
    text: "T {{c}}",
  });
  assert.deepEqual([published.subject, published.text, published.textGenerated], [
    "S {{a}}",
    "T {{c}}",
    false,
  ]);
  assert.deepEqual(published.variables.map(({ name }) => name), ["a", "b", "c"]);
});

test("publishEmail() keeps <style> and warns if a placeholder selects the class", async () => {
  const html =
    '<style>.a{color:red}.b{color:blue}</style><p class="{{#if x}}a{{else}}b{{/if}}">t</p>';
  const published = await publishEmail({ subject: "x", html });
  assert.match(published.html, /<style>[^<]*\.b\s*\{/);
  assert.equal(published.warnings.length, 1);
});

const MJML = `<mjml><mj-head><mj-preview>For {{name}}</mj-preview></mj-head><mj-body>
<mj-section><mj-column>
<mj-text color="{{brand}}">Dear {{name}}{{#if a}}, {{a}}{{/if}}</mj-text>
<mj-button href="{{url}}">Pay {{currency total "EUR"}}</mj-button>
<mj-raw>{{#each lines}}</mj-raw><mj-text>{{name}}</mj-text><mj-raw>{{/each}}</mj-raw>
<mj-table>{{#each lines}}<tr><td>{{name}}</td></tr>{{/each}}</mj-table>
</mj-column></mj-section></mj-body></mjml>`;

test("publishEmail() compiles MJML with placeholders in texts, attributes and mj-raw", async () => {
  const { html, text, variables, warnings } = await publishEmail({ subject: "x", html: MJML });
  assert.deepEqual(warnings, []);
  assert.match(html, /^<!doctype html>/i);
  assert.match(html, /color:\{\{brand\}\}/);
  assert.match(html, /href="\{\{url\}\}"/);
  assert.match(fill(html, "html"), /Pay €200\.00/);
  assert.match(fill(text, "none"), /A & B/);
  assert.deepEqual(variables.map(({ name }) => name).sort(), [
    "a",
    "brand",
    "lines",
    "name",
    "total",
    "url",
  ]);
});

test("publishEmail() refuses MJML that would lose content, at the line of the source", async () => {
  const html = `<mjml><mj-body>
{{#if
  a}}<mj-section><mj-column>
<mj-buton>x</mj-buton></mj-column></mj-section>{{/if}}
<mj-include path="/etc/passwd" /></mj-body></mjml>`;
  await assert.rejects(publishEmail({ subject: "x", html }), (error) => {
    assert.ok(error instanceof InvalidTemplateError);
    assert.deepEqual(error.errors.map(({ line, message }) => [line, message.split(" ")[0]]), [
      [5, "mj-include"],
      [4, "Element"],
      [2, "MJML"],
      [4, "MJML"],
    ]);
    return true;
  });
});

test("publishEmail() reports the faults of all parts, at their place in the source", async () => {
  const source = {
    subject: "Hi {{nam",
    html: "<style>a{b:c}</style>\n<p>{{x y}}</p>",
    text: "{{/if}}",
  };
  await assert.rejects(publishEmail(source), (error) => {
    assert.ok(error instanceof InvalidTemplateError);
    assert.deepEqual(error.errors.map(({ part, line, column }) => [part, line, column]), [
      ["subject", 1, 6],
      ["html", 2, 4],
      ["text", 1, 1],
    ]);
    return true;
  });
  await assert.rejects(publishEmail({ subject: "a\nb", html: "" }), /single line/);
});

test("publishPdf() keeps the HTML as it is", () => {
  const { html, variables } = publishPdf({ html: INVOICE });
  assert.equal(html, INVOICE);
  assert.ok(
    variables.some(({ name, paths }) => name === "lines" && paths.includes("lines[].price")),
  );
  assert.throws(() => publishPdf({ html: "{{> x}}" }), InvalidTemplateError);
});

test("publishEmail() distinguishes MJML from HTML after any number of comments, in linear time", async () => {
  const tell = (count: number) => () =>
    assert.equal(isMjml(`${"<!-- a --> ".repeat(count)}<p>x</p>`), false);
  // Few at first: every way to pair their ends would be thousands of times as much.
  for (const count of [3, 2_500]) {
    const ratio = await cpuRatio(tell(8 * count), tell(count), { below: 24 });
    // Linear is 8, quadratic 64.
    assert.ok(ratio < 24, `8 times ${count} comments cost ${ratio} times as much`);
  }
  const comments = "<!-- a --> ".repeat(27);
  const { html } = await publishEmail({ subject: "s", html: `${comments}<p>x</p>` });
  assert.ok(html.endsWith("<p>x</p>"));
  const mjml = `\n${comments}\n<mjml><mj-body></mj-body></mjml>`;
  assert.match((await publishEmail({ subject: "s", html: mjml, text: "t" })).html, /<!doctype/i);
});

const textOf = async (html: string) =>
  (await publishEmail({ subject: "s", html })).text.split("\n").filter(Boolean);

test("publishEmail() excludes from the text a preheader that a class of <style> hides", async () => {
  const html = `<!doctype html><html><head><style>
.preheader { color: transparent; display: none; height: 0; max-height: 0; max-width: 0; opacity: 0;
  overflow: hidden; mso-hide: all; visibility: hidden; width: 0; }
</style></head><body><span class="preheader">Seen in the inbox, {{name}}.</span>
<table role="presentation" class="body"><tr><td>Dear {{name}}</td></tr></table></body></html>`;
  assert.deepEqual(await textOf(html), ["Dear {{name}}"]);
});

test("publishEmail() excludes from the text the preheader of a drag-and-drop editor, a table", async () => {
  const html = `<body><table class="module preheader preheader-hide" role="module"
 style="display: none !important; mso-hide: all; visibility: hidden; opacity: 0; color: transparent; height: 0;">
<tr><td role="module-content"><p>Short summary</p></td></tr></table><p>Body</p></body>`;
  assert.deepEqual(await textOf(html), ["Body"]);
});

test("publishEmail() excludes mj-preview from the text, not the content of sections of font size 0", async () => {
  const html = `<mjml><mj-head><mj-preview>{{#if a}}Preview{{/if}} ${
    "&#847; &zwnj; &nbsp; ".repeat(30)
  }</mj-preview></mj-head>
<mj-body><mj-section><mj-column><mj-text>Dear {{name}}</mj-text>
<mj-button href="{{url}}">Pay</mj-button><mj-image src="https://x.test/a.png" alt="Logo" />
</mj-column></mj-section></mj-body></mjml>`;
  assert.deepEqual(await textOf(html), ["Dear {{name}}", "Pay [{{url}}]", "Logo"]);
});

test("publishEmail() and publishPdf() write the language at the root, unless the author did", async () => {
  const mjml = "<mjml><mj-body></mj-body></mjml>";
  const cases = [
    [mjml, /<html lang="de-AT"/, /"und"/],
    [mjml.replace("<mjml>", '<mjml lang="fr">'), /<html lang="fr"/, /de-AT/],
    ["<html class=a><body><p>x</p></body></html>", /^<html lang="de-AT" class=a>/, /lang.*lang/],
    [
      '<html lang="{{tag}}"><style>p{color:red}</style><p>x</p></html>',
      /lang="\{\{tag\}\}"/,
      /de-AT/,
    ],
    ["<p>no root</p>", /^<p>no root<\/p>$/, /lang/],
  ] as const;
  for (const [source, wanted, unwanted] of cases) {
    const { html } = await publishEmail({ subject: "s", html: source, locale: "de-AT" });
    assert.match(html, wanted);
    assert.doesNotMatch(html, unwanted);
  }
  assert.equal(
    publishPdf({ html: "<html>x</html>", locale: "de" }).html,
    '<html lang="de">x</html>',
  );
  assert.equal(publishPdf({ html: "<html>x</html>" }).html, "<html>x</html>");
});

test("publishEmail() and publishPdf() write the direction of languages from right to left", async () => {
  const mjml = "<mjml><mj-body></mj-body></mjml>";
  const mail = async (html: string, locale: string) =>
    (await publishEmail({ subject: "s", html, locale })).html;
  for (const locale of ["ar", "he-IL", "az-Arab", "ur"]) {
    assert.match(await mail(mjml, locale), new RegExp(`<html lang="${locale}" dir="rtl"`));
    const { html } = publishPdf({ html: "<html>x</html>", locale });
    assert.equal(html, `<html lang="${locale}" dir="rtl">x</html>`);
  }
  assert.doesNotMatch(await mail(mjml, "de"), /rtl/);
  const own = '<html dir="ltr">x</html>';
  assert.equal(await mail(own, "ar"), '<html lang="ar" dir="ltr">x</html>');
  assert.match(await mail('<html lang="ar">x</html>', "en"), /^<html dir="rtl" lang="ar">/);
  assert.match(await mail('<html lang="{{tag}}">x</html>', "ar"), /^<html lang="\{\{tag\}\}">/);
});
