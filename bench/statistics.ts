/** Latencies in milliseconds. */
export interface Percentiles {
  p50: number;
  p95: number;
  p99: number;
}

/** The middle of several runs, and how far they lie apart. */
export interface Spread {
  median: number;
  min: number;
  max: number;
}

/**
 * Returns the value below which a share of the values lies (nearest rank).
 *
 * @param share From 0 to 1.
 * @throws {RangeError} If there are no values.
 */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
  if (value === undefined) throw new RangeError("Cannot take a percentile: there are no values");
  return value;
}

/** Returns p50, p95 and p99. @throws {RangeError} If there are no values. */
export function percentiles(values: readonly number[]): Percentiles {
  return {
    p50: percentile(values, 0.5),
    p95: percentile(values, 0.95),
    p99: percentile(values, 0.99),
  };
}

/** Returns the median, the smallest and the largest value. @throws {RangeError} If there are no values. */
export function spreadOf(values: readonly number[]): Spread {
  return { median: percentile(values, 0.5), min: Math.min(...values), max: Math.max(...values) };
}
