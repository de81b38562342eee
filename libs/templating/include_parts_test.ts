import assert from "node:assert/strict";
import { test } from "node:test";
import { compileTemplate } from "./_compile_template.ts";
import { includeParts } from "./include_parts.ts";
import type { Includes } from "./includes.ts";
import { plainData } from "./_plain_data.ts";
import { isMjml, publishEmail, publishPdf } from "./publish.ts";
import { InvalidTemplateError } from "./template_error.ts";
import { templateReads } from "./template_reads.ts";

const DATA = {
  name: "Ada",
  company: { name: "Acme & Co", city: "Rome" },
  lines: [{ name: "Desk" }, { name: "Lamp" }],
};

function whole(html: string, partials: Includes["partials"] = {}, brand?: Includes["brand"]) {
  return includeParts({ html }, { partials, brand });
}

/** Includes and fills. */
function filled(
  html: string,
  partials: Includes["partials"] = {},
  brand?: Includes["brand"],
): string {
  const { parts, errors } = whole(html, partials, brand);
  assert.deepEqual(errors, []);
  return compileTemplate(parts.html ?? "", { escape: "html" })(plainData(DATA));
}

function faults(
  html: string,
  partials: Includes["partials"] = {},
  brand?: Includes["brand"],
): string[] {
  return whole(html, partials, brand).errors.map(({ partial, line, column, message }) =>
    `${partial ?? ""}:${line}:${column} ${message}`
  );
}

test("includeParts() puts the text of partials where they are called, in the context of the call", () => {
  const partials = {
    address: "{{company.name}}, {{> city}}",
    city: "{{company.city}}",
    line: "[{{name}}]",
  };
  assert.equal(filled("<p>{{> address}}</p>", partials), "<p>Acme &amp; Co, Rome</p>");
  assert.equal(filled("{{#each lines}}{{> line}}{{/each}}", partials), "[Desk][Lamp]");
  assert.equal(filled("{{> line company}}{{> line missing}}", partials), "[Acme &amp; Co][]");
  assert.equal(filled('a{{> "line"}}\\{{> x}}{{! {{> x }}', partials), "a[Ada]{{> x}}");
});

test("includeParts() gives a partial the names of its call, which win over all others", () => {
  const row = "{{label}}={{item.name}};";
  assert.equal(filled('{{> row label="A" item=company}}', { row }), "A=Acme &amp; Co;");
  const each =
    "{{#each lines as |item|}}{{> row label=@index item=../company}}{{item.name}} {{/each}}";
  assert.equal(filled(each, { row }), "0=Acme &amp; Co;Desk 1=Acme &amp; Co;Lamp ");
  assert.equal(
    filled("{{> row company label=name}}", { row: "{{label}} of {{city}}" }),
    "Ada of Rome",
  );
});

test("includeParts() fills a layout with the block of its call, and with inline partials", () => {
  const base =
    '<html>{{#> head}}<title>Mail</title>{{/head}}<body class="{{kind}}">{{> @partial-block}}</body></html>';
  assert.equal(
    filled('{{#> base kind="bill"}}Hi {{name}} ({{kind}}){{/base}}', { base }),
    '<html><title>Mail</title><body class="bill">Hi Ada (bill)</body></html>',
  );
  assert.equal(
    filled('{{#> base}}{{#*inline "head"}}<title>{{name}}</title>{{/inline}}Hi{{/base}}', { base }),
    '<html><title>Ada</title><body class="">Hi</body></html>',
  );
  const outer = "<o>{{> @partial-block}}</o>";
  assert.equal(
    filled("{{#> base}}{{#> outer}}x{{/outer}}{{/base}}", { base, outer }).includes("<o>x</o>"),
    true,
  );
  assert.equal(
    filled('{{#*inline "a"}}<{{name}}>{{/inline}}{{> a}}{{> a company}}'),
    "<Ada><Acme &amp; Co>",
  );
  assert.equal(
    filled("{{#> box}}x{{/box}}", { box: "{{#> @partial-block}}none{{/@partial-block}}" }),
    "x",
  );
  assert.equal(
    filled("{{> box}}", { box: "{{#> @partial-block}}none{{/@partial-block}}" }),
    "none",
  );
});

test("includeParts() takes the line of a partial that stands alone on it, as Handlebars does", () => {
  const partials = { greeting: "Hello\n", layout: "<\n{{> @partial-block}}\n>\n" };
  assert.equal(filled("a\n  {{> greeting}}\nb", partials), "a\nHello\nb");
  assert.equal(filled("a\r\n{{> greeting}}\r\nb", partials), "a\r\nHello\nb");
  assert.equal(filled("{{#> layout}}\nx\n{{/layout}}\nend", partials), "<\nx\n>\nend");
  assert.equal(filled("a {{~> greeting~}} b", partials), "aHello\nb");
});

test("includeParts() names unknown partials, circles and wrong calls, where they were written", () => {
  assert.deepEqual(faults("a\n {{> adress}}", { address: "x" }), [
    ':2:2 "adress" is not known: did you mean "address"?',
  ]);
  assert.deepEqual(faults("{{#> logos}}x{{/logos}}", {}), [
    ':1:1 "logos" is not known: there is no partial with this name',
  ]);
  const circle = { a: "\n{{> b}}", b: "{{> c}}", c: "{{#if x}}{{> a}}{{/if}}" };
  assert.deepEqual(faults("{{> a}}", circle), [
    "c:1:10 Partials include each other: a → b → c → a",
  ]);
  assert.deepEqual(faults("{{> base}}", { base: "<b>\n{{> @partial-block}}" }), [
    "base:2:1 {{> @partial-block}} has no content: call the partial as {{#> base}}…{{/base}}",
  ]);
  assert.deepEqual(faults("{{> (lookup . 'x')}}"), [
    ":1:1 A partial is called by its name: {{> name}}",
  ]);
  assert.deepEqual(faults("{{> a b c}}", { a: "" }), [
    ':1:1 "let" has too many arguments: write {{#let [object] name=value …}}…{{/let}}',
  ]);
});

test("includeParts() places faults and variables in the partial that has them, once", () => {
  const partials = { foot: 'ok\n  {{curency total "EUR"}} {{imprint}}' };
  assert.deepEqual(faults("{{> foot}}{{> foot}}\n{{name x}}", partials), [
    'foot:2:3 There is no helper "curency": did you mean "currency"?',
    ':2:1 There is no helper "name": did you mean "ne"?',
  ]);
  assert.match(faults("{{> foot}}", { foot: "\n{{#if x}}" })[0] ?? "", /^foot:2:1 .*never closed/);
  const { variables } = whole("{{name}}\n{{> foot}}", { foot: "\n{{imprint}}" });
  assert.deepEqual(variables.map(({ name, partial, line }) => [name, partial, line]), [
    ["name", undefined, 1],
    ["imprint", "foot", 2],
  ]);
});

test("includeParts() finds what a partial reads through the names of its call", () => {
  const { parts, variables } = whole(
    '{{> card title="x" who=customer}}{{#each lines}}{{> row line=this}}{{/each}}',
    { card: "{{title}} {{who.name}} {{note}}", row: "{{line.price}} {{sku}}" },
  );
  assert.deepEqual(variables.map(({ name }) => name), ["customer", "note", "lines"]);
  const reads = new Map(templateReads(parts).map((read) => [read.path, read]));
  assert.equal(reads.get("customer.name")?.always, true);
  assert.equal(reads.get("note")?.always, true);
  assert.deepEqual(reads.get("lines[].price")?.uses, ["printed"]);
  assert.ok(reads.has("lines[].sku") && !reads.has("title") && !reads.has("line"));
});

test("includeParts() writes the values of the brand, and names unknown ones", () => {
  const brand = { color: "#0a5", name: "A & B", logo: "mark" };
  assert.equal(
    filled('<a style="color:{{@brand.color}}">{{@brand.name}}{{{ @brand.name }}}</a>', {}, brand),
    '<a style="color:#0a5">A &amp; BA &amp; B</a>',
  );
  const text = { name: "O'Neill & Son" };
  assert.equal(
    filled("<a title='{{@brand.name}}'>", {}, text),
    "<a title='O&#39;Neill &amp; Son'>",
  );
  const { parts } = includeParts({ invoice: "<a>{{@brand.name}}</a>" }, {
    brand: text,
    partials: {},
  });
  assert.equal(parts.invoice, "<a>O&#39;Neill &amp; Son</a>");
  assert.equal(
    filled("{{#each lines}}{{> l}}{{/each}}", { l: "{{upper @brand.logo}} " }, brand),
    "MARK MARK ",
  );
  assert.equal(filled('{{#if (eq "@brand.x" @brand.logo)}}1{{else}}2{{/if}}', {}, brand), "2");
  assert.deepEqual(faults("x {{@brand.colour}}", {}, brand), [
    ':1:3 "@brand.colour" is not known: did you mean "@brand.color"?',
  ]);
  assert.match(faults("{{@brand.x}}", {}, { x: '"}}{{y' })[0] ?? "", /cannot have/);
});

test("includeParts() refuses partials made to exhaust it", () => {
  const bomb = Object.fromEntries(
    Array.from({ length: 19 }, (_, i) => [`p${i}`, `{{> p${i + 1}}}{{> p${i + 1}}}`]),
  );
  assert.match(faults("{{> p0}}", { ...bomb, p19: "" })[0] ?? "", /more than 1000 times/);
  const large = { a: "x".repeat(300_000) };
  assert.match(faults("{{> a}}{{> a}}", large)[0] ?? "", /With its partials.*more than 524288/);
  const deep = '{{#*inline "a"}}{{> a}}{{/inline}}{{> a}}';
  assert.match(faults(deep)[0] ?? "", /more than 20 deep/);
});

test("publishEmail() and publishPdf() put partials in before they compile", async () => {
  const partials = {
    base:
      '<mjml><mj-head><mj-attributes><mj-all font-family="{{@brand.font}}" /></mj-attributes></mj-head>' +
      "<mj-body>\n{{> @partial-block}}\n</mj-body></mjml>",
    foot:
      "<mj-section><mj-column><mj-text>Imprint {{company.name}}</mj-text></mj-column></mj-section>",
    sign: "Yours, {{name}}",
  };
  const html =
    "{{#> base}}\n<mj-section><mj-column><mj-text>{{> sign}}</mj-text></mj-column></mj-section>{{> foot}}\n{{/base}}";
  assert.equal(isMjml(html), true);
  const includes = { partials, brand: { font: "Georgia" } };
  const mail = await publishEmail({ subject: "{{> sign}}", html, includes, locale: "de" });
  assert.deepEqual([...mail.partials].sort(), ["base", "foot", "sign"]);
  assert.equal(mail.subject, "Yours, {{name}}");
  assert.match(mail.html, /lang="de"[\s\S]*font-family:Georgia[\s\S]*Imprint \{\{company.name\}\}/);
  assert.match(mail.text, /Yours, \{\{name\}\}[\s\S]*Imprint/);
  assert.deepEqual(mail.variables.map(({ name }) => name), ["name", "company"]);

  const broken = { ...partials, foot: "\n<mj-sectoin>{{x}}</mj-sectoin>" };
  await assert.rejects(
    publishEmail({ subject: "s", html, includes: { ...includes, partials: broken } }),
    (error) => {
      assert.ok(error instanceof InvalidTemplateError);
      assert.deepEqual([error.errors[0]?.partial, error.errors[0]?.line], ["foot", 2]);
      return true;
    },
  );
  const pdf = publishPdf({ html: "<p>{{> sign}}</p>", includes });
  assert.deepEqual([pdf.html, pdf.partials], ["<p>Yours, {{name}}</p>", ["sign"]]);
});
