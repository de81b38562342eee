/** Decimal places of the integers that stand for decimal numbers here. */
const PLACES = 10n;

const ONE = 10n ** PLACES;
const CENT = ONE / 100n;

/** A decimal number as an integer: in units of 0.0000000001. */
export type Decimal = bigint;

/** Returns the number that XML has as a decimal (`xs:decimal`), or `undefined`. Limits: 15 digits, 10 places. */
export function decimalOf(text: string): Decimal | undefined {
  const [, sign, whole = "", places = ""] =
    /^([+-]?)(?=\.?\d)(\d{0,15})(?:\.(\d{0,10})0*)?$/.exec(text) ?? [];
  if (sign === undefined) return undefined;
  const size = BigInt(whole + places.padEnd(Number(PLACES), "0"));
  return sign === "-" ? -size : size;
}

/** Returns the text of a number, such as `19`, `8.1` or `0.3333`. */
export function decimalText(value: Decimal): string {
  const digits = String(value < 0n ? -value : value).padStart(Number(PLACES) + 1, "0");
  const at = digits.length - Number(PLACES);
  const text = `${digits.slice(0, at)}.${digits.slice(at)}`.replace(/\.?0+$/, "");
  return value < 0n ? `-${text}` : text;
}

/** Returns so many per cent of an amount. */
export function percentOf(amount: Decimal, percent: Decimal): Decimal {
  return rounded(amount * percent, 100n * ONE);
}

/** Returns a number in hundredths, rounded; half of one away from zero. */
export function centsOf(value: Decimal): bigint {
  return rounded(value, CENT);
}

/** Returns the text of a number of hundredths, such as `119.00`. */
export function centsText(cents: bigint): string {
  const digits = String(cents < 0n ? -cents : cents).padStart(3, "0");
  return `${cents < 0n ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

function rounded(value: bigint, unit: bigint): bigint {
  const half = value < 0n ? -unit / 2n : unit / 2n;
  return (value + half) / unit;
}
