import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type DraftSource,
  pageOptionsSchema,
  type VariableDeclaration,
} from "@posthaste/contracts";
import { cpuRatio } from "@posthaste/kit";
import { includeParts } from "./include_parts.ts";
import { lintTemplate } from "./lint_template.ts";

type Sample = DraftSource["sample"];

interface Written {
  subject?: string;
  text?: string;
  invoice?: string;
  variables?: VariableDeclaration[];
  partials?: Record<string, string>;
  passwordVariable?: string;
}

/** Returns the findings about fields, as `rule part line:column message`. */
function fieldFindings(html: string, sample: Sample, written: Written = {}): string[] {
  const { subject = "", text = "", invoice, variables: declared = [], partials = {} } = written;
  const { passwordVariable } = written;
  const page = passwordVariable === undefined
    ? null
    : pageOptionsSchema.parse({ passwordVariable });
  const found = includeParts({ subject, html, text, invoice }, { partials });
  assert.deepEqual(found.errors, []);
  const source = {
    ...{ subject, html, text, filename: "", locale: "en" },
    ...{ page, variables: declared, sample },
  };
  const { variables } = found;
  const kind = page === null ? "email" : "pdf";
  return lintTemplate({ kind, source, variables, missing: [] })
    .filter(({ rule }) => ["misspelled_field", "unknown_field"].includes(rule))
    .map(({ severity, part, partial, line, column, message }) =>
      `${severity} ${partial ?? part} ${line}:${column} ${message}`
    );
}

const CUSTOMER = { name: "Ada", address: { city: "Oslo", line1: "1 High St" } };
const LINES = [{ price: 7, name: "Desk" }, { price: 8, name: "Lamp", discount: 1 }];
const SAMPLE = { customer: CUSTOMER, lines: LINES, currency: "EUR" };

test("lintTemplate() finds a misspelled field of an object, and suggests the right one", () => {
  assert.deepEqual(fieldFindings("\n<p>{{customer.nmae}} {{customer.name}}</p>", SAMPLE), [
    'error html 2:6 "customer.nmae" is not known: did you mean "customer.name"?',
  ]);
  // One finding for each wrong step, however many fields are read of it.
  assert.deepEqual(
    fieldFindings("{{customer.adress.city}}{{customer.adress.zip}}", SAMPLE),
    ['error html 1:3 "customer.adress" is not known: did you mean "customer.address"?'],
  );
  assert.deepEqual(fieldFindings("{{#with customer}}{{upper Name}}{{/with}}", SAMPLE), [
    'error html 1:27 "customer.Name" is not known: did you mean "customer.name"?',
  ]);
});

test("lintTemplate() finds a misspelled field that a text names", () => {
  const html =
    '{{sum lines "price" "discont"}}{{lookup customer "nmae"}}{{lookup this "customer"}}' +
    "{{#each lines}}{{lookup . 'pirce'}}{{/each}}{{#with (lookup customer \"adress\")}}{{x}}{{/with}}";
  assert.deepEqual(fieldFindings(html, SAMPLE), [
    'error html 1:21 "lines[].discont" is not known: did you mean "lines[].discount"?',
    'error html 1:110 "lines[].pirce" is not known: did you mean "lines[].price"?',
    'error html 1:50 "customer.nmae" is not known: did you mean "customer.name"?',
    'error html 1:153 "customer.adress" is not known: did you mean "customer.address"?',
  ]);
  const partials = { total: 'Sum:\n{{sum of "prize"}}' };
  assert.deepEqual(fieldFindings("{{> total of=lines}}", SAMPLE, { partials }), [
    'error total 2:10 "lines[].prize" is not known: did you mean "lines[].price"?',
  ]);
});

test("lintTemplate() knows the fields of what lookup finds under a name that is written", () => {
  const sample = { shop: { lines: LINES, owner: CUSTOMER }, key: "lines" };
  const html =
    '{{#each (lookup shop "lines")}}{{price}}{{discuont}}{{@root.shop.owner.nmae}}{{/each}}' +
    '\n{{#with (lookup (lookup shop "owner") "address") as |at|}}{{ctiy}}{{at.city}}{{/with}}' +
    '\n{{#let of=(lookup shop "lines")}}{{sum of "prcie"}}{{/let}}{{sum (lookup shop "lines") "dicsount"}}' +
    "\n{{#each (lookup shop key)}}{{nmae}}{{/each}}";
  assert.deepEqual(fieldFindings(html, sample), [
    'error html 1:43 "shop.lines[].discuont" is not known: did you mean "shop.lines[].discount"?',
    'error html 1:55 "shop.owner.nmae" is not known: did you mean "shop.owner.name"?',
    'error html 2:61 "shop.owner.address.ctiy" is not known: did you mean "shop.owner.address.city"?',
    'error html 3:43 "shop.lines[].prcie" is not known: did you mean "shop.lines[].price"?',
    'error html 3:88 "shop.lines[].dicsount" is not known: did you mean "shop.lines[].discount"?',
  ]);
});

test("lintTemplate() accepts texts that name known fields, and those that name none", () => {
  const html =
    '{{sum lines "price" "discount"}}{{sum lines}}{{lookup lines "length"}}{{lookup lines "0"}}' +
    '{{lookup customer "a.nmae"}}{{lookup customer key}}{{sum (lookup customer key) "prize"}}' +
    '{{join lines "prize"}}{{lookup currency "length"}}{{eq customer "nmae"}}{{lookup customer ""}}';
  assert.deepEqual(fieldFindings(html, { ...SAMPLE, key: "name" }), []);
});

test("lintTemplate() accepts texts that name what a partial or `let` gives", () => {
  const html = '{{#let customer adress="x"}}{{lookup . "adress"}}{{lookup this "nmae"}}' +
    '{{#with address}}{{lookup .. "adress"}}{{/with}}{{/let}}{{> card who=customer}}';
  const partials = { card: '{{#let (lookup . "who")}}{{/let}}{{lookup . "who"}}' };
  assert.deepEqual(fieldFindings(html, SAMPLE, { partials }), [
    'error html 1:64 "customer.nmae" is not known: did you mean "customer.name"?',
  ]);
});

test("lintTemplate() finds a misspelled field in the password option of a PDF", () => {
  const find = (passwordVariable: string) => fieldFindings("", SAMPLE, { passwordVariable });
  assert.deepEqual(find("customer.nmae"), [
    'error html null:null "customer.nmae" is not known: did you mean "customer.name"?',
  ]);
  assert.deepEqual(find("customer.name"), []);
  assert.deepEqual(find("customer.address.city"), []);
  assert.deepEqual(find("currency"), []);
});

test("lintTemplate() finds misspelled fields of the items of a list", () => {
  assert.deepEqual(fieldFindings("{{#each lines}}{{pric}}{{/each}}", SAMPLE), [
    'error html 1:18 "lines[].pric" is not known: did you mean "lines[].price"?',
  ]);
  assert.deepEqual(
    fieldFindings("{{#each lines as |line|}}{{#if line.discont}}!{{/if}}{{/each}}", SAMPLE),
    ['error html 1:32 "lines[].discont" is not known: did you mean "lines[].discount"?'],
  );
});

test("lintTemplate() finds misspelled fields in every part, in partials and in layouts", () => {
  const html = "{{> card who=customer}}{{#> base}}<p>{{lines.0.nme}}</p>{{/base}}";
  const partials = {
    card: "Dear\n{{who.nane}}",
    base: "<body>{{> @partial-block}}{{customer.address.ctiy}}",
  };
  const written = { subject: "{{customer.namee}}", text: "{{customer.nam}}", partials };
  const invoice = "<a>{{@root.customer.adress}}</a>";
  assert.deepEqual(fieldFindings(html, SAMPLE, { ...written, invoice }), [
    'error subject 1:3 "customer.namee" is not known: did you mean "customer.name"?',
    'error card 2:3 "customer.nane" is not known: did you mean "customer.name"?',
    'error base 1:29 "customer.address.ctiy" is not known: did you mean "customer.address.city"?',
    'error text 1:3 "customer.nam" is not known: did you mean "customer.name"?',
    'error invoice 1:6 "customer.adress" is not known: did you mean "customer.address"?',
    'error html 1:40 "lines.0.nme" is not known: did you mean "lines.0.name"?',
  ]);
});

test("lintTemplate() warns of a field that no sample has, without a similar one", () => {
  assert.deepEqual(fieldFindings("{{customer.phone}}{{#each lines}}{{sku}}{{/each}}", SAMPLE), [
    'warning html 1:3 "customer.phone" is not known: the sample does not have it',
    'warning html 1:36 "lines[].sku" is not known: the sample does not have it',
  ]);
  // Another number is another field; a short name is similar to most others.
  assert.deepEqual(
    fieldFindings("{{customer.address.line2}}{{a.date}}{{a.to}}", {
      ...SAMPLE,
      a: { name: "x", rate: 1, at: 2 },
    }),
    [
      'warning html 1:3 "customer.address.line2" is not known: did you mean "customer.address.line1"?',
      'warning html 1:29 "a.date" is not known: did you mean "a.rate"?',
      'warning html 1:39 "a.to" is not known: the sample does not have it',
    ],
  );
});

test("lintTemplate() warns of a name of the top inside of a list or an object", () => {
  assert.deepEqual(fieldFindings("{{#each lines}}{{currency}}{{../currency}}{{/each}}", SAMPLE), [
    'warning html 1:18 "lines[].currency" is not known: did you mean "@root.currency"?',
  ]);
});

test("lintTemplate() warns of fields of what the sample has as a list or a text", () => {
  assert.deepEqual(fieldFindings("{{lines.price}}{{currency.code}}{{currency.sign}}", SAMPLE), [
    'warning html 1:3 "lines.price" is not known: "lines" is a list in the sample',
    'warning html 1:18 "currency.code" is not known: "currency" is a text in the sample',
    'warning html 1:35 "currency.sign" is not known: "currency" is a text in the sample',
  ]);
});

test("lintTemplate() accepts the fields that one of several items has, or the default", () => {
  const variables = [{ name: "shop", required: false, default: { nmae: "Fjord" } }];
  const html = "{{#each lines}}{{discount}}{{this.name}}{{@index}}{{../currency}}{{/each}}" +
    "{{#each lines}}{{#if discount}}{{@root.customer.name}}{{/if}}{{/each}}{{shop.nmae}}{{lines.length}}" +
    "{{lines.[1].discount}}{{#each customer.address}}{{@key}}{{this}}{{this.length}}{{/each}}";
  assert.deepEqual(fieldFindings(html, { ...SAMPLE, shop: { name: "Fjord" } }, { variables }), []);
});

test("lintTemplate() knows nothing of values that the sample lacks", () => {
  const html = "{{a.b}}{{#with c}}{{d}}{{/with}}{{#each e}}{{f}}{{/each}}{{g.h.i}}{{j.k}}";
  assert.deepEqual(fieldFindings(html, { c: null, e: [], g: { h: {} }, j: {} }), []);
  assert.deepEqual(fieldFindings("{{customer.nmae}}{{#each lines}}{{pric}}{{/each}}", {}), []);
});

test("lintTemplate() accepts all keys of an object whose keys are data", () => {
  const sample = {
    rates: { euro: 1.1, dollar: 1 },
    shops: [{ open: { monday: 8 } }, { open: { tuesday: 9 } }],
    "a.b": { name: 1 },
  };
  const html = "{{#each rates}}{{@key}} {{this}}{{/each}}{{rates.eurp}}" +
    '{{#each shops}}{{open.tuesdays}}{{/each}}{{lookup rates "eurp"}}{{[a.b].nmae}}';
  assert.deepEqual(fieldFindings(html, sample), []);
});

test("lintTemplate() knows names that a partial or `let` gives, and block parameters", () => {
  const html = '{{#let customer kind="x"}}{{kind}}{{name}}{{/let}}{{> card who=customer}}' +
    "{{#each lines as |line at|}}{{at}}{{line.name}}{{/each}}{{#each (lookup customer who)}}{{x}}{{/each}}";
  const partials = { card: "{{who.name}}{{customer.name}}" };
  assert.deepEqual(fieldFindings(html, { ...SAMPLE, who: "name" }, { partials }), []);
});

test("lintTemplate() compares fields in time proportional to the sample", async () => {
  const lint = (items: number, read: number) => {
    const item = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`alpha${at}`, 1]));
    const sample = { lines: Array.from({ length: items }, () => item) };
    const fields = Array.from({ length: read }, (_, at) => ({
      ...{ path: `lines[].bravo${at}`, part: "html" as const, line: 1, column: 1 },
    }));
    const variables = [{
      ...{ name: "lines", paths: [], usedIn: ["html" as const], line: 1, column: 1, fields },
    }];
    const source = {
      ...{ subject: "", html: "", text: "", filename: "", locale: "en", page: null },
      ...{ variables: [], sample },
    };
    return () => void lintTemplate({ kind: "email", source, variables, missing: [] });
  };
  const ratio = await cpuRatio(lint(10_000, 500), lint(1_000, 50), { runs: 3, below: 40 });
  // All with all is 100.
  assert.ok(ratio < 40, `${ratio} times`);
});
