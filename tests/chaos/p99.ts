/** Returns the 99th percentile; `undefined` of no values. `Infinity` is what never came. */
export function p99(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))];
}
