import { numberFormat, pluralRules } from "./_formats.ts";
import {
  type HelperContext,
  HelperError,
  isMissing,
  needNumber,
  numeric,
  shown,
  tidy,
} from "./_helper_values.ts";

export function formatNumber([value]: unknown[], context: HelperContext): string {
  return format("number", value, context, {});
}

export function formatCurrency([value, currency]: unknown[], context: HelperContext): string {
  if (isMissing(value)) return "";
  if (typeof currency !== "string" || !/^[a-z]{3}$/i.test(currency)) {
    throw new HelperError(
      `Cannot format currency ${shown(value)}: ${shown(currency)} is not a currency such as "EUR"`,
    );
  }
  const { currencyDisplay } = context.hash;
  const options: Intl.NumberFormatOptions = { style: "currency", currency };
  if (typeof currencyDisplay === "string") {
    options.currencyDisplay = currencyDisplay as "symbol" | "code" | "name";
  }
  return format("currency", value, context, options);
}

export function formatPercent([value]: unknown[], context: HelperContext): string {
  return format("percent", value, context, { style: "percent" });
}

export function plural([count]: unknown[], context: HelperContext): string {
  if (isMissing(count)) return "";
  const amount = needNumber("choose the plural for", count);
  const locale = localeOf(context);
  return explained(`choose the plural for ${shown(count)}`, () => {
    const zero = amount === 0 ? context.hash["zero"] : undefined;
    const form = zero ?? context.hash[pluralRules(locale).select(amount)] ??
      context.hash["other"] ?? "";
    return String(form).replaceAll("#", () => numberFormat(locale).format(amount));
  });
}

export function add(values: unknown[]): number {
  return tidy(values.reduce<number>((sum, value) => sum + operand("add", value), 0));
}

export function subtract([a, b]: unknown[]): number {
  return tidy(operand("subtract", a) - operand("subtract", b));
}

export function multiply(values: unknown[]): number {
  return values.reduce<number>((product, value) => tidy(product * operand("multiply", value)), 1);
}

export function divide([a, b]: unknown[]): number {
  const divisor = operand("divide", b);
  if (divisor === 0) throw new HelperError(`Cannot divide ${shown(a)}: the divisor is 0`);
  return tidy(operand("divide", a) / divisor);
}

export function round([value, digits = 0]: unknown[]): number {
  const places = needNumber("round to digits", digits);
  const amount = operand("round", value);
  if (places < 0 || places > 15 || Math.abs(amount) >= 1e21) return amount;
  const [mantissa, exponent = "0"] = String(Math.abs(amount)).split("e");
  // Shifting the decimal point in the text keeps 1.005 from becoming 1.00.
  const shifted = Math.round(Number(`${mantissa}e${Number(exponent) + places}`));
  return Math.sign(amount) * Number(`${shifted}e-${places}`);
}

export function sum([list, ...fields]: unknown[], { hash }: HelperContext): number {
  if (isMissing(list)) return 0;
  if (!Array.isArray(list)) throw new HelperError(`Cannot sum ${shown(list)}: it is not a list`);
  const parts = list.map((item) =>
    fields.length === 0 ? item : multiply(fields.map((field) => ownField(item, field)))
  );
  const digits = hash["round"];
  return add(isMissing(digits) ? parts : parts.map((part) => round([part, digits])));
}

/** Returns an operand. A missing value counts as 0, as it prints as nothing. */
function operand(action: string, value: unknown): number {
  return isMissing(value) ? 0 : needNumber(action, value);
}

function ownField(item: unknown, field: unknown): unknown {
  const isField = typeof item === "object" && item !== null && Object.hasOwn(item, String(field));
  return isField ? (item as Record<string, unknown>)[String(field)] : undefined;
}

function format(
  helper: string,
  value: unknown,
  context: HelperContext,
  base: Intl.NumberFormatOptions,
): string {
  if (isMissing(value)) return "";
  const amount = needNumber(`format ${helper}`, value);
  const options = { ...base };
  for (const name of ["minimumFractionDigits", "maximumFractionDigits"] as const) {
    const digits = numeric(context.hash[name]);
    if (digits !== undefined) options[name] = digits;
  }
  return explained(
    `format ${helper} ${shown(value)}`,
    () => numberFormat(localeOf(context), options).format(amount),
  );
}

function localeOf({ hash, locale }: HelperContext): string {
  return isMissing(hash["locale"]) ? locale : String(hash["locale"]);
}

function explained<T>(action: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new HelperError(
      `Cannot ${action}: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
