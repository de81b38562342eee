/**
 * Limits that keep one account from using up shared capacity: rates, concurrency, and pauses for failing
 * servers. Each exists once, here.
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
