/**
 * Limits that keep one from taking what is everybody's: so much at a time, and so often.
 *
 * ```ts
 * const budget = openHolderBudget({ max: 64_000_000, maxPerHolder: 16_000_000 });
 * if (budget.take(bytes, { holder: accountId, held: 0 }) !== undefined) throw tooMuch();
 * const buckets = openTokenBuckets({ perMs: 50 / 1000, burst: 200 });
 * if (buckets.take(accountId, performance.now()) > 0) throw tooOften();
 * ```
 *
 * @module
 */
export * from "./holder_budget.ts";
export * from "./token_bucket.ts";
