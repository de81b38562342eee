/** One helper, for documentation, editor completion and the template check. */
export interface HelperDescription {
  readonly name: string;
  /** A block is written `{{#name}}…{{/name}}`, an inline helper `{{name …}}` or `(name …)`. */
  readonly kind: "block" | "inline";
  readonly signature: string;
  /** One sentence. */
  readonly summary: string;
  /** The least and the most arguments. */
  readonly arguments: readonly [number, number];
  /** Names that may be given as `name=value`. */
  readonly options: readonly string[];
  /** Whether any other name may be given, too. */
  readonly takesNames?: boolean;
  /** Runs as written: the output is the template's plain text for the data. */
  readonly example: {
    readonly template: string;
    readonly data: Readonly<Record<string, unknown>>;
    /** Addresses of the stored images that it shows. */
    readonly assets?: Readonly<Record<string, string>>;
    readonly output: string;
  };
}

const ANY = Number.POSITIVE_INFINITY;
const LINES = [
  { name: "Desk", quantity: 2, price: 150 },
  { name: "Lamp", quantity: 1, price: 49.9 },
];
const DATE_OPTIONS = [
  "dateStyle",
  "timeStyle",
  "weekday",
  "year",
  "month",
  "day",
  "hour",
  "minute",
  "second",
  "hour12",
  "timeZoneName",
  "tz",
  "locale",
];
const DIGITS = ["minimumFractionDigits", "maximumFractionDigits", "locale"];

/** Every helper. The template check refuses all other names. */
export const HELPERS: readonly HelperDescription[] = [
  block("if", "{{#if value}}…{{else}}…{{/if}}", {
    summary: 'Shows its content if the value is not empty: "", 0, false, null and [] are empty.',
    options: ["includeZero"],
    example: ["{{#if paid}}Paid{{else}}Open{{/if}}", { paid: true }, "Paid"],
  }),
  block("unless", "{{#unless value}}…{{else}}…{{/unless}}", {
    summary: "The opposite of `if`.",
    options: ["includeZero"],
    example: ["{{#unless paid}}Please pay{{/unless}}", { paid: false }, "Please pay"],
  }),
  block("each", "{{#each list}}…{{else}}…{{/each}}", {
    summary: "Repeats its content for each item, with `@index`, `@first`, `@last` and `@key`.",
    example: [
      "{{#each lines}}{{@index}} {{name}}; {{/each}}",
      { lines: LINES },
      "0 Desk; 1 Lamp; ",
    ],
  }),
  block("with", "{{#with object}}…{{else}}…{{/with}}", {
    summary: "Shows its content with the fields of an object as its variables.",
    example: ["{{#with customer}}{{name}}{{/with}}", { customer: { name: "Ada" } }, "Ada"],
  }),
  {
    ...block("let", "{{#let [object] name=value …}}…{{/let}}", {
      summary:
        "Shows its content with further variables, and with the fields of an object if one is given.",
      example: [
        '{{#let greeting="Hi" who=name}}{{greeting}} {{who}}{{/let}}',
        { name: "Ada" },
        "Hi Ada",
      ],
    }),
    arguments: [0, 1],
    takesNames: true,
  },
  inline("lookup", "lookup object key", [2, 2], {
    summary: "The field or item whose name or number is in a variable.",
    example: ["{{lookup names 1}}", { names: ["Ada", "Bob"] }, "Bob"],
  }),
  inline("eq", "eq a b", [2, 2], {
    summary: 'True if both are equal; the number 1 equals the text "1".',
    example: ['{{#if (eq status "paid")}}Thanks{{/if}}', { status: "paid" }, "Thanks"],
  }),
  inline("ne", "ne a b", [2, 2], {
    summary: "True if both differ.",
    example: ['{{#if (ne plan "free")}}Pro{{/if}}', { plan: "team" }, "Pro"],
  }),
  inline("lt", "lt a b", [2, 2], {
    summary: "True if a is less than b: numbers by size, texts by character.",
    example: ["{{#if (lt stock 5)}}Hurry{{/if}}", { stock: 3 }, "Hurry"],
  }),
  inline("lte", "lte a b", [2, 2], {
    summary: "True if a is less than or equal to b.",
    example: ["{{#if (lte stock 3)}}Hurry{{/if}}", { stock: 3 }, "Hurry"],
  }),
  inline("gt", "gt a b", [2, 2], {
    summary: "True if a is greater than b.",
    example: ["{{#if (gt total 100)}}Free shipping{{/if}}", { total: 120 }, "Free shipping"],
  }),
  inline("gte", "gte a b", [2, 2], {
    summary: "True if a is greater than or equal to b.",
    example: ["{{#if (gte total 100)}}Free shipping{{/if}}", { total: 100 }, "Free shipping"],
  }),
  inline("and", "and a b …", [2, ANY], {
    summary: "The first value that is empty, else the last.",
    example: ["{{#if (and paid shipped)}}Done{{/if}}", { paid: true, shipped: true }, "Done"],
  }),
  inline("or", "or a b …", [2, ANY], {
    summary: "The first value that is not empty, else the last.",
    example: ["{{or nickname name}}", { nickname: "", name: "Ada" }, "Ada"],
  }),
  inline("not", "not a", [1, 1], {
    summary: "True if the value is empty.",
    example: ["{{#if (not paid)}}Open{{/if}}", { paid: false }, "Open"],
  }),
  inline("default", "default value fallback", [2, 2], {
    summary: "The fallback where the value is missing, null or an empty text.",
    example: ['{{default name "friend"}}', {}, "friend"],
  }),
  inline("date", 'date value ["short"|"medium"|"long"|"full"|"iso"]', [1, 2], {
    summary: "A date: ISO 8601 text or milliseconds, in `tz`; without an offset as it is written.",
    options: DATE_OPTIONS,
    example: [
      '{{date due "long" locale="de"}}, {{date at "short" timeStyle="short" tz="Europe/Berlin" locale="en-GB"}}',
      { due: "2026-03-01", at: "2026-03-01T23:30:00Z" },
      "1. März 2026, 02/03/2026, 00:30",
    ],
  }),
  inline("number", "number value", [1, 1], {
    summary: "A number in the format of the locale.",
    options: DIGITS,
    example: [
      '{{number total minimumFractionDigits=2 locale="de"}}',
      { total: 1234.5 },
      "1.234,50",
    ],
  }),
  inline("currency", 'currency value "EUR"', [2, 2], {
    summary: "An amount of money; the currency is an ISO 4217 code.",
    options: [...DIGITS, "currencyDisplay"],
    example: ['{{currency total "EUR"}}', { total: 1234.5 }, "€1,234.50"],
  }),
  inline("percent", "percent value", [1, 1], {
    summary: "A ratio as a percentage: 0.19 is 19%.",
    options: DIGITS,
    example: ["{{percent rate}}", { rate: 0.19 }, "19%"],
  }),
  inline("plural", 'plural count one="# item" other="# items"', [1, 1], {
    summary: "The form that the locale uses for the count; `#` in it becomes the count.",
    options: ["zero", "one", "two", "few", "many", "other", "locale"],
    example: ['{{plural count one="# item" other="# items"}}', { count: 3 }, "3 items"],
  }),
  inline("upper", "upper text", [1, 1], {
    summary: "The text in capital letters.",
    options: ["locale"],
    example: ["{{upper code}}", { code: "ab1" }, "AB1"],
  }),
  inline("lower", "lower text", [1, 1], {
    summary: "The text in small letters.",
    options: ["locale"],
    example: ["{{lower code}}", { code: "AB1" }, "ab1"],
  }),
  inline("trim", "trim text", [1, 1], {
    summary: "The text without white space at its ends.",
    example: ["[{{trim name}}]", { name: " Ada " }, "[Ada]"],
  }),
  inline("breaks", "breaks text", [1, 1], {
    summary: "Keeps the line breaks of a text: they become `<br>` where the template escapes.",
    example: ["{{breaks note}}", { note: "one\ntwo" }, "one\ntwo"],
  }),
  inline("urlEncode", "urlEncode text", [1, 1], {
    summary: "The text, encoded for a part of a URL.",
    example: ["?q={{urlEncode q}}", { q: "a b&c" }, "?q=a%20b%26c"],
  }),
  inline("join", 'join list [", "]', [1, 2], {
    summary: "The items of a list in one line.",
    example: ['{{join tags " / "}}', { tags: ["a", "b"] }, "a / b"],
  }),
  inline("length", "length value", [1, 1], {
    summary: "The number of items of a list, characters of a text, or fields of an object.",
    example: ["{{length tags}}", { tags: ["a", "b"] }, "2"],
  }),
  inline("add", "add a b …", [2, ANY], {
    summary: "The sum of its arguments.",
    example: [
      "{{#each rows}}{{add @index 1}}. {{this}} {{/each}}",
      { rows: ["x", "y"] },
      "1. x 2. y ",
    ],
  }),
  inline("subtract", "subtract a b", [2, 2], {
    summary: "a minus b.",
    example: ["{{subtract 10 used}}", { used: 3 }, "7"],
  }),
  inline("multiply", "multiply a b …", [2, ANY], {
    summary: "The product of its arguments.",
    example: ["{{multiply quantity price}}", { quantity: 3, price: 0.1 }, "0.3"],
  }),
  inline("divide", "divide a b", [2, 2], {
    summary: "a divided by b.",
    example: ["{{divide total 4}}", { total: 10 }, "2.5"],
  }),
  inline("round", "round value [digits]", [1, 2], {
    summary:
      "The number rounded to some digits after the point (0 by default), half away from zero.",
    example: ["{{round rate 1}}", { rate: 2.25 }, "2.3"],
  }),
  inline("asset", 'asset "name"', [1, 1], {
    summary: "The address of an image that the account stores under this name.",
    assets: { logo: "cid:logo" },
    example: ['<img src="{{asset "logo"}}" alt="Shop">', {}, '<img src="cid:logo" alt="Shop">'],
  }),
  inline("sum", 'sum list ["field" …]', [1, ANY], {
    summary:
      "The sum of a list: of its items, of a field of each, or of the product of fields; `round=2` rounds each first.",
    options: ["round"],
    example: ['{{sum lines "quantity" "price"}}', { lines: LINES }, "349.9"],
  }),
];

const BY_NAME = new Map(HELPERS.map((helper) => [helper.name, helper]));

/** Returns the helper of a name, if there is one. */
export function helperNamed(name: string): HelperDescription | undefined {
  return BY_NAME.get(name);
}

interface Details {
  summary: string;
  options?: readonly string[];
  assets?: Readonly<Record<string, string>>;
  example: readonly [string, Record<string, unknown>, string];
}

function block(name: string, signature: string, details: Details): HelperDescription {
  return { ...inline(name, signature, [1, 1], details), kind: "block" };
}

function inline(
  name: string,
  signature: string,
  count: readonly [number, number],
  { summary, options = [], assets, example: [template, data, output] }: Details,
): HelperDescription {
  const example = { template, data, output, ...(assets === undefined ? {} : { assets }) };
  return { name, kind: "inline", signature, summary, arguments: count, options, example };
}
