/**
 * Limits that keep one from taking what is everybody's: how often, how much at a time, and when to leave a
 * server alone. Each exists once, here.
 *
 * ```ts
 * const prints = openSemaphore({ max: 4, maxPerOwner: 2 });
 * using _permit = await prints.acquire(accountId, { signal });
 * const buckets = openTokenBuckets({ perMs: 50 / 1000, burst: 200 });
 * if (buckets.take(accountId, performance.now()) > 0) throw tooOften();
 * ```
 *
 * @module
 */
export * from "./circuit_breaker.ts";
export * from "./semaphore.ts";
export * from "./token_bucket.ts";
