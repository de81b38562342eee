/** Returns the 99th percentile; `undefined` of no values. A value that never came is `Infinity`. */
export function p99(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))];
}
