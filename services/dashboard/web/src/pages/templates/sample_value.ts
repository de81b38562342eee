import type { VariableValue } from "@posthaste/contracts";

const DAY_MS = 86_400_000;

/** Sample values for common names of variables. */
const USUAL: readonly [RegExp, (now: Date) => VariableValue][] = [
  [/(url|link|href)$/i, () => "https://example.com"],
  [/e-?mail$/i, () => "ada@example.com"],
  [/(At|Date|Due|Until|From)$|^(date|due|until|from|day|month)$/, (now) => dayAfter(now, 14)],
  [/(price|total|amount|sum|tax|net|balance|fee|cost|discount)$/i, () => 12.5],
  [/(quantity|count|stock|size|minutes|hours|days)$/i, () => 2],
  [/(rate|percent|share)$/i, () => 0.19],
  [/^(is|has|can)[A-Z]/, () => true],
];

/**
 * Returns a sample value for a variable of which only the name is known: helpers reject a word for
 * a number.
 */
export function sampleValue(name: string, now: Date = new Date()): VariableValue {
  const usual = USUAL.find(([pattern]) => pattern.test(name));
  return usual === undefined ? name : usual[1](now);
}

function dayAfter(now: Date, days: number): string {
  return new Date(now.getTime() + days * DAY_MS).toISOString().slice(0, 10);
}
