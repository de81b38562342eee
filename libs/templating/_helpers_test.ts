import assert from "node:assert/strict";
import { test } from "node:test";
import { compileTemplate } from "./_compile_template.ts";
import { checkTemplate } from "./check_template.ts";
import { HELPERS } from "./helper_list.ts";
import { HELPER_FUNCTIONS } from "./_helpers.ts";
import { plainData } from "./_plain_data.ts";

function fill(
  source: string,
  data: unknown = {},
  options: Partial<Parameters<typeof compileTemplate>[1]> = {},
): string {
  return compileTemplate(source, { escape: "none", ...options })(plainData(data));
}

for (const { name, example } of HELPERS) {
  test(`${name}: the example in the list of helpers returns the stated output`, () => {
    const { template, data, assets, output } = example;
    assert.deepEqual(checkTemplate({ html: template }), []);
    assert.equal(fill(template, data, { assets }), output);
  });
}

test("HELPERS lists exactly the helpers there are", () => {
  const engine = ["if", "unless", "each", "with", "let", "lookup"];
  assert.deepEqual(
    HELPERS.map(({ name }) => name).sort(),
    [...engine, ...Object.keys(HELPER_FUNCTIONS)].sort(),
  );
});

test("comparisons treat numbers and numeric texts alike", () => {
  assert.equal(
    fill("{{eq a 1}} {{eq a 2}} {{ne a 1}} {{lt a 10}} {{gt a 10}}", { a: "1" }),
    "true false false true false",
  );
  assert.equal(
    fill('{{lt a b}} {{gt a "x"}} {{gte missing 1}}', { a: "2026-01-02", b: "2026-01-10" }),
    "true false false",
  );
  assert.equal(fill("{{eq missing null}}"), "true");
});

test("and, or, not and default treat emptiness as `if` does", () => {
  assert.equal(
    fill("{{and a list}}|{{or list a}}|{{not list}}|{{or missing b}}", { a: 1, b: 0, list: [] }),
    "|1|true|0",
  );
  assert.equal(fill('{{default zero "x"}}{{default empty "y"}}', { zero: 0, empty: "" }), "0y");
});

test("date moves an instant into the zone, and keeps a plain day", () => {
  const data = { at: "2026-03-01T23:30:00Z", day: "2026-03-01", wall: "2026-03-01T23:30" };
  const zone = 'tz="America/New_York"';
  assert.equal(
    fill(`{{date at "iso"}} {{date day "iso"}}`, data),
    "2026-03-01T23:30:00.000Z 2026-03-01",
  );
  assert.equal(fill(`{{date at ${zone}}}|{{date day ${zone}}}`, data), "Mar 1, 2026|Mar 1, 2026");
  assert.equal(
    fill("{{date at}}|{{date day}}|{{date wall}}", data, { timeZone: "Asia/Tokyo" }),
    "Mar 2, 2026|Mar 1, 2026|Mar 1, 2026",
  );
  assert.equal(fill('{{date at weekday="long" locale="fr"}}', data), "dimanche");
  assert.equal(fill("{{date ms}}", { ms: 0 }), "Jan 1, 1970");
});

test("formatters use the locale of the template unless they name one", () => {
  assert.equal(
    fill('{{number n}} {{number n locale="en"}}', { n: 1234.5 }, { locale: "de" }),
    "1.234,5 1,234.5",
  );
});

test("number, currency and percent accept digits", () => {
  assert.equal(
    fill(
      '{{number n minimumFractionDigits=2}} {{currency n "JPY"}} {{percent r maximumFractionDigits=1}}',
      { n: 5, r: "0.1234" },
    ),
    "5.00 ¥5 12.3%",
  );
});

test("plural follows the rules of the language", () => {
  const forms = 'one="# soubor" few="# soubory" other="# souborů" locale="cs"';
  assert.equal(
    fill(`{{#each n}}{{plural this ${forms}}} {{/each}}`, { n: [1, 3, 5] }),
    "1 soubor 3 soubory 5 souborů ",
  );
  assert.equal(fill('{{plural 0 zero="none" other="#"}}'), "none");
});

test("arithmetic is free of binary fractions", () => {
  assert.equal(
    fill("{{add 0.1 0.2}} {{subtract 0.3 0.1}} {{round 1.005 2}} {{round -2.5}} {{divide 1 4}}"),
    "0.3 0.2 1.01 -3 0.25",
  );
  assert.equal(
    fill('{{sum rows "a"}} {{sum list}} {{sum missing}}', {
      rows: [{ a: 0.1 }, { a: 0.2 }, {}],
      list: [1, "2"],
    }),
    "0.3 3 0",
  );
});

test("sum rounds each of its parts first, if asked", () => {
  const lines = [1, 2, 3].map(() => ({ quantity: 0.5, price: 33.33 }));
  assert.equal(
    fill('{{sum lines "quantity" "price"}} {{sum lines "quantity" "price" round=2}}', { lines }),
    "49.995 50.01",
  );
  assert.throws(() => fill('{{sum lines "price" round="x"}}', { lines }), /round to digits "x"/);
});

test("breaks escapes the text and keeps its lines", () => {
  const html = compileTemplate("{{breaks note}}", { escape: "html" });
  assert.equal(html(plainData({ note: "<a>\r\nb" })), "&lt;a&gt;<br>\nb");
});

test("formatters print nothing for missing values", () => {
  const source =
    '[{{date a}}{{number a}}{{currency a "EUR"}}{{percent a}}{{plural a other="x"}}{{join a}}{{upper a}}]';
  assert.equal(fill(source), "[]");
  assert.equal(fill(source, { a: null }), "[]");
});

test("errors of helpers name the helper and the wrong value", () => {
  const cases: [string, unknown, RegExp][] = [
    ["{{date x}}", "xyz", /^Cannot format date "xyz": write it as 2026-03-01/],
    ["{{date x}}", "2026-02-31", /^Cannot format date "2026-02-31"/],
    ["{{date x}}", 9e15, /^Cannot format date/],
    ['{{date x tz="Mars/Base"}}', "2026-01-01T00:00Z", /^Cannot format date .*Mars\/Base/],
    ['{{date x "loud"}}', "2026-01-01", /"loud" is not short, medium, long, full or iso/],
    ["{{number x}}", "1,5", /^Cannot format number "1,5": it is not a number/],
    ["{{number x}}", [1], /^Cannot format number a list: it is not a number/],
    ['{{currency x "EURO"}}', 1, /^Cannot format currency "1": "EURO" is not a currency/],
    ['{{number x locale="not_a"}}', 1, /^Cannot format number "1": Incorrect locale/],
    ["{{number x minimumFractionDigits=200}}", 1, /^Cannot format number "1"/],
    ["{{divide x 0}}", 1, /^Cannot divide "1": the divisor is 0/],
    ["{{join x}}", "a", /^Cannot join "a": it is not a list/],
    ["{{upper x}}", { a: 1 }, /^Cannot convert to capital letters an object: it is not a text/],
    ["{{length x}}", 5, /^Cannot count "5"/],
  ];
  for (const [source, x, message] of cases) {
    assert.throws(() => fill(source, { x }), { name: "RenderError", message });
  }
});
