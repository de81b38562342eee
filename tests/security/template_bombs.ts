/** A malicious template, and the values that it needs. */
export interface TemplateBomb {
  readonly name: string;
  readonly source: string;
  readonly data?: Readonly<Record<string, unknown>>;
  /** Ends at the time limit, or not far from it. */
  readonly isLong?: boolean;
}

const nested = (open: string, close: string, depth: number) =>
  open.repeat(depth) + close.repeat(depth);
const numbers = (length: number) => Array.from({ length }, (_, n) => n);
const LOOP = "{{#each @root.l}}";
const END = "{{/each}}";

/** Templates that cost too much to compile, and some that cost too much to fill. */
export const TEMPLATE_BOMBS: readonly TemplateBomb[] = [
  { name: "100,000 placeholders", source: "{{a}}".repeat(100_000) },
  { name: "200,000 placeholders, 1 MB", source: "{{a}}".repeat(200_000) },
  { name: "5,000 placeholders", source: "{{a.b}}".repeat(5_000) },
  { name: "1,000 nested blocks", source: nested("{{#if a}}", "{{/if}}", 1_000) },
  { name: "4,000 nested blocks", source: nested("{{#if a}}", "{{/if}}", 4_000) },
  { name: "4,000 else-ifs", source: `{{#if a}}${"{{else if b}}".repeat(4_000)}{{/if}}` },
  { name: "20,000 parentheses", source: `{{eq ${nested("(not ", ")", 20_000)} 1}}` },
  { name: "50,000 block parameters", source: `{{#each l as |${"a ".repeat(50_000)}|}}${END}` },
  { name: "a name of 500,000 characters", source: `{{${"a".repeat(500_000)}}}` },
  { name: "a path of 100,000 steps", source: `{{a${".a".repeat(100_000)}}}` },
  { name: "100,000 steps up", source: `{{${"../chaos/".repeat(100_000)}a}}` },
  { name: "100,000 options", source: `{{date a ${"tz=b ".repeat(100_000)}}}` },
  {
    name: "names that look like an error",
    source: `{{#[${"a doesn't match b - 1:1 ".repeat(20_000)}]}}{{/x}}`,
  },
  { name: "comments without an end", source: "{{!--".repeat(5_000) },
  { name: "escaped comments without an end", source: "\\{{!-- ".repeat(5_000) },
  {
    name: "doubling partials",
    source: numbers(30).map((n) => `{{#*inline "p${n}"}}{{> p${n + 1}}}{{> p${n + 1}}}{{/inline}}`)
      .join("") + "{{> p0}}",
  },
  { name: "a partial that calls itself", source: '{{#*inline "p"}}{{> p}}{{/inline}}{{> p}}' },
  { name: "a dynamic partial", source: "{{> (lookup . 'x')}}", data: { x: "constructor" } },
  {
    name: "a cubic loop",
    source: LOOP.repeat(3) + "{{this}}" + END.repeat(3),
    data: { l: numbers(400) },
  },
  {
    name: "an empty loop of degree 40",
    source: LOOP.repeat(40) + END.repeat(40),
    data: { l: [1, 2] },
    isLong: true,
  },
  {
    name: "a loop of long texts",
    source: `${LOOP}${LOOP}{{@root.s}}${END}${END}`,
    data: { l: numbers(1_000), s: "x".repeat(10_000) },
  },
  {
    name: "texts that grow in helpers",
    source: `${LOOP}${LOOP}{{upper (urlEncode @root.s)}}${END}${END}`,
    data: { l: numbers(300), s: "ä".repeat(100_000) },
    isLong: true,
  },
  {
    name: "a plural of a million numbers",
    source: "{{plural n other=s}}",
    data: { n: 1e308, s: "#".repeat(1_000_000) },
    isLong: true,
  },
  {
    name: "a join of long separators",
    source: "{{join l s}}",
    data: { l: numbers(1_000), s: "x".repeat(1_000_000) },
  },
  {
    name: "a thousand locales",
    source: `${LOOP}{{number 1 locale=(join @root.parts this)}}${END}`,
    data: { l: numbers(1_000).map((n) => `-u-nu-latn-x-a${n}-`), parts: ["en", "b"] },
  },
  { name: "fraction digits without end", source: '{{number 1 minimumFractionDigits="1e9"}}' },
  { name: "a date far away", source: "{{date 1e300}}{{date '+999999-01-01'}}" },
  {
    name: "a zone with a long name",
    source: '{{date "2026-03-01T00:00:00Z" tz=s}}',
    data: { s: "Europe/".repeat(100_000) },
  },
  {
    name: "an object with long names is printed",
    source: "{{o}}",
    data: { o: { ["k".repeat(1_000_000)]: 1 } },
  },
];

/** Paths to inherited properties of JavaScript objects. Each must print nothing, or be refused. */
export const PROTOTYPE_CHAINS: readonly string[] = [
  "constructor",
  "constructor.constructor",
  "text.constructor.constructor",
  "list.constructor",
  "list.[0].constructor.prototype",
  "__proto__",
  "__proto__.constructor",
  "text.__proto__",
  "toString",
  "text.toString",
  "hasOwnProperty",
  "valueOf",
  "__lookupGetter__",
  "__defineGetter__",
  "list.map",
  "list.filter.constructor",
  "@root.constructor",
  "@root.__proto__.constructor",
  "this.constructor",
  "./constructor",
  "[constructor].[constructor]",
  "n.constructor",
  "n.toFixed",
  "text.sub",
  "helperMissing",
  "blockHelperMissing",
  "settings",
  "helpers",
].flatMap((path) => {
  const step = JSON.stringify(path.split(".").at(-1));
  return [
    `{{${path}}}`,
    `{{{${path}}}}`,
    `{{#with ${path}}}through{{/with}}`,
    `{{#each ${path}}}through{{/each}}`,
    `{{#if ${path}}}through{{/if}}`,
    `{{lookup this ${step}}}{{lookup text ${step}}}{{lookup list ${step}}}`,
    `{{#with (lookup this ${step})}}through{{/with}}`,
    `{{#with (lookup text ${step}) as |c|}}{{#with (lookup c "constructor")}}through{{/with}}{{/with}}`,
    `{{#each list}}{{#with (lookup . ${step})}}through{{/with}}{{/each}}`,
    `{{sum list ${step}}}`,
    `{{join (lookup this ${step})}}`,
    `{{length (lookup this ${step})}}`,
  ];
});
