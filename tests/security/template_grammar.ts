import { HELPERS } from "@posthaste/templating";
import type { Random } from "@posthaste/chaos";

/** Names that exist: variables of {@linkcode randomData}, and properties of prototypes. */
const NAMES = [
  ...["name", "list", "rows", "deep", "n", "text", "empty", "when", "long", "missing", "flag"],
  ...["constructor", "__proto__", "prototype", "toString", "valueOf", "hasOwnProperty"],
  ...["__lookupGetter__", "__defineGetter__", "helperMissing", "blockHelperMissing", "toHTML"],
  ...["length", "map", "split", "call", "apply", "then", "toJSON", "Symbol", "helpers", "lookup"],
];
const DATA = ["@root", "@index", "@key", "@first", "@last", "@root.list", "@root.constructor"];
const LITERALS = [
  ...["0", "-1", "1e308", "99999999999999999999", "1.5", "true", "false", "null", "undefined"],
  ...['""', '"EUR"', '"xyz"', '"constructor"', '"__proto__"', '"full"', '"iso"', "'<b>'", '"#"'],
  ...['"de"', '"en-u-nu-deva"', '"not a locale"', '"Europe/Berlin"', '"\u{1f600}\u0000\ud800"'],
];
const BLOCKS = HELPERS.filter(({ kind }) => kind === "block").map(({ name }) => name);
// The check refuses `asset` with any argument but a fixed name.
const INLINE = HELPERS.filter(({ kind, name }) => kind === "inline" && name !== "asset");
const TEXTS = [
  "<p>",
  "</p>\n",
  " ",
  "&amp;",
  " { ",
  " } ",
  "\\{{x}}",
  "é\u{1f468}\u200d",
  "\u202e",
];
const FORBIDDEN = [
  ...["{{> x}}", "{{> (lookup . 'x')}}", "{{#> x}}{{/x}}", "{{* x}}", "{{log n}}"],
  ...["{{#*inline 'x'}}{{/inline}}", "{{> @partial-block}}", "{{{{raw}}}}{{x}}{{{{/raw}}}}"],
  ...["{{@settings}}", "{{#list}}{{/list}}", "{{^}}", "{{", "}}", "{{/if}}", "{{else}}", "{{!--"],
];

/**
 * Returns a random template: every block, every helper with any arguments, paths to prototypes, and sometimes
 * forbidden or broken syntax.
 */
export function randomTemplate(random: Random): string {
  const budget = { left: random.integer(1, 60) };
  return body(random, budget, 0);
}

interface Budget {
  left: number;
}

function body(random: Random, budget: Budget, depth: number): string {
  let source = "";
  for (let parts = random.integer(1, 6); parts > 0 && budget.left > 0; parts--) {
    budget.left--;
    source += part(random, budget, depth);
  }
  return source;
}

function part(random: Random, budget: Budget, depth: number): string {
  const choice = random.next();
  if (choice < 0.2) return random.pick(TEXTS);
  if (choice < 0.4) return `{{${random.pick(["", "&", "~"])}${path(random)}}}`;
  if (choice < 0.45) return `{{{${path(random)}}}}`;
  if (choice < 0.7) return `{{${call(random, 0)}}}`;
  if (choice < 0.73) return random.pick(FORBIDDEN);
  if (choice < 0.75) return `{{!-- ${path(random)} --}}`;
  return depth < 8 ? block(random, budget, depth) : random.pick(TEXTS);
}

function block(random: Random, budget: Budget, depth: number): string {
  const name = random.pick(BLOCKS);
  const named = random.chance(0.2) ? ` as |${random.pick(NAMES)} ${random.pick(["i", "k"])}|` : "";
  const option = random.chance(0.1) ? " includeZero=true" : "";
  const inverse = random.chance(0.3) ? `{{else}}${body(random, budget, depth + 1)}` : "";
  const inner = body(random, budget, depth + 1);
  return `{{#${name} ${argument(random, 0)}${option}${named}}}${inner}${inverse}{{/${name}}}`;
}

function call(random: Random, depth: number): string {
  const { name, arguments: [least, most], options } = random.pick(INLINE);
  const count = random.chance(0.95)
    ? random.integer(least, Math.min(most, least + 3))
    : random.integer(0, 5);
  const given = Array.from({ length: count }, () => argument(random, depth + 1));
  for (const option of options) {
    if (random.chance(1.5 / options.length)) given.push(`${option}=${argument(random, depth + 1)}`);
  }
  return [name, ...given].join(" ");
}

function argument(random: Random, depth: number): string {
  const choice = random.next();
  if (choice < 0.25 && depth < 4) return `(${call(random, depth + 1)})`;
  return choice < 0.55 ? random.pick(LITERALS) : path(random);
}

function path(random: Random): string {
  if (random.chance(0.15)) return random.pick(DATA);
  const start = random.pick(["", "", "", "../", "../../", "this.", "./", "@root."]);
  const steps = Array.from({ length: random.integer(1, 3) }, () => random.pick(NAMES));
  return start + steps.map((step) => random.chance(0.1) ? `[${step}]` : step).join(".");
}

/** Returns random values, as in a request: any JSON, with names of prototypes' properties. */
export function randomData(random: Random): Record<string, unknown> {
  const named = NAMES.map((name) => `${JSON.stringify(name)}:${json(random, 0)}`)
    .filter(() => random.chance(0.7));
  return JSON.parse(`{${named.join(",")}}`);
}

function json(random: Random, depth: number): string {
  const choice = random.next();
  if (choice < 0.25) return JSON.stringify(random.pick(STRINGS));
  if (choice < 0.3) return JSON.stringify(random.pick(STRINGS).repeat(random.integer(1, 2_000)));
  if (choice < 0.55) return random.pick(NUMBERS);
  if (choice < 0.65 || depth > 4) return random.pick(["null", "true", "false", "[]", "{}"]);
  const count = random.chance(0.03) ? random.integer(100, 400) : random.integer(1, 5);
  const items = Array.from({ length: count }, () => json(random, depth + 2));
  if (choice < 0.85) return `[${items.join(",")}]`;
  const fields = items.slice(0, 8).map((item) => `${JSON.stringify(random.pick(NAMES))}:${item}`);
  return `{${fields.join(",")}}`;
}

const NUMBERS = ["0", "-0", "1", "-1.005", "1e21", "1e308", "1e-320", "9007199254740993", "400"];
const STRINGS = [
  ...["", " ", "Ada", "<script>", "2026-03-01", "2026-02-30", "2026-03-01T18:00:00+25:00", "12"],
  ...["1e400", "NaN", "constructor", "__proto__", "a\u0000b", "\ud800", "ﬃ\u0130ß", "{{name}}"],
  ...["#".repeat(50), "\r\nBcc: x@example.org", "\u202eevil", "\u{1f468}\u200d\u{1f469}"],
];
