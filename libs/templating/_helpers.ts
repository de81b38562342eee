import { formatDate } from "./_date_helper.ts";
import {
  add,
  divide,
  formatCurrency,
  formatNumber,
  formatPercent,
  multiply,
  plural,
  round,
  subtract,
  sum,
} from "./_number_helpers.ts";
import {
  type HelperContext,
  HelperError,
  isEmptyValue,
  isMissing,
  needText,
  numeric,
  shown,
} from "./_helper_values.ts";

export { type HelperContext, HelperError } from "./_helper_values.ts";

/** The function of an inline helper, with its arguments and its context in the template. */
export type HelperFunction = (args: unknown[], context: HelperContext) => unknown;

/**
 * The functions of every inline helper except `lookup`, which Handlebars provides like the blocks.
 * `helper_list.ts` documents how each is written. Formatters return an empty text for a missing value and
 * throw a {@linkcode HelperError} for a wrong one.
 */
export const HELPER_FUNCTIONS: Readonly<Record<string, HelperFunction>> = {
  eq: ([a, b]) => isSame(a, b),
  ne: ([a, b]) => !isSame(a, b),
  lt: ([a, b]) => order(a, b) < 0,
  lte: ([a, b]) => order(a, b) <= 0,
  gt: ([a, b]) => order(a, b) > 0,
  gte: ([a, b]) => order(a, b) >= 0,
  and: (values) => values.find(isEmptyValue) ?? lastUnless(values, isEmptyValue),
  or: (values) => values.find((value) => !isEmptyValue(value)) ?? values.at(-1),
  not: ([value]) => isEmptyValue(value),
  default: ([value, fallback]) => isMissing(value) ? fallback : value,
  date: formatDate,
  number: formatNumber,
  currency: formatCurrency,
  percent: formatPercent,
  plural,
  upper: ([value], context) =>
    needText("convert to capital letters", value).toLocaleUpperCase(lang(context)),
  lower: ([value], context) =>
    needText("convert to small letters", value).toLocaleLowerCase(lang(context)),
  trim: ([value]) => needText("trim", value).trim(),
  breaks: ([value]) => needText("break into lines", value),
  urlEncode: ([value]) => encodeURIComponent(needText("encode", value).toWellFormed()),
  join: ([list, separator = ", "]) => join(list, needText("join with", separator)),
  length: ([value]) => lengthOf(value),
  add,
  subtract,
  multiply,
  divide,
  round,
  sum,
  asset: assetAddress,
};

function isSame(a: unknown, b: unknown): boolean {
  if (a === b || (isNothing(a) && isNothing(b))) return true;
  const pair = [typeof a, typeof b].sort().join();
  return pair === "number,string" && String(a) === String(b);
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null;
}

/** Returns the order of two values; NaN if they cannot be compared, so that every comparison is false. */
function order(a: unknown, b: unknown): number {
  const [x, y] = [numeric(a), numeric(b)];
  if (x !== undefined && y !== undefined) return x - y;
  if (typeof a !== "string" || typeof b !== "string") return NaN;
  return a < b ? -1 : a > b ? 1 : 0;
}

function lastUnless(values: unknown[], isEnd: (value: unknown) => boolean): unknown {
  // An empty value that is undefined or null was found, and is still the answer.
  return values.some(isEnd) ? false : values.at(-1);
}

function join(list: unknown, separator: string): string {
  if (isMissing(list)) return "";
  if (!Array.isArray(list)) throw new HelperError(`Cannot join ${shown(list)}: it is not a list`);
  return list.map((item) => needText("join", item)).join(separator);
}

function lengthOf(value: unknown): number {
  if (isNothing(value)) return 0;
  if (typeof value === "string" || Array.isArray(value)) return value.length;
  if (typeof value === "object") return Object.keys(value as object).length;
  throw new HelperError(`Cannot count ${shown(value)}: it is not a list, a text or an object`);
}

function lang({ hash, locale }: HelperContext): string {
  return isMissing(hash["locale"]) ? locale : String(hash["locale"]);
}

/** Returns the address of a stored image: `cid:logo`, a URL, or the image itself. */
function assetAddress([name]: unknown[], { assets }: HelperContext): string {
  if (typeof name !== "string" || !Object.hasOwn(assets, name)) {
    throw new HelperError(`Cannot show the image ${shown(name)}: no such image is stored`);
  }
  return assets[name] ?? "";
}
