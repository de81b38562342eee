import { LRUCache } from "lru-cache";

/** A bucket of tokens that fills evenly. Times are in milliseconds that never go back. */
export interface TokenBucket {
  tokens: number;
  filledAt: number;
}

/** How often something may happen. */
export interface TokenRate {
  /** Tokens that come in each millisecond. */
  perMs: number;
  /** The most that a bucket holds: how often it may happen at once after a quiet time. */
  burst: number;
}

/**
 * Takes tokens out of a bucket, all or none.
 *
 * @returns the milliseconds until there are so many; 0 if they were taken
 */
export function takeTokens(
  bucket: TokenBucket,
  { perMs, burst }: TokenRate,
  { now, count = 1 }: { now: number; count?: number },
): number {
  bucket.tokens = Math.min(burst, bucket.tokens + Math.max(0, now - bucket.filledAt) * perMs);
  bucket.filledAt = now;
  if (bucket.tokens >= count) {
    bucket.tokens -= count;
    return 0;
  }
  return Math.ceil((count - bucket.tokens) / perMs);
}

/** A bucket for each key. */
export interface TokenBuckets {
  /** Takes tokens of a key, all or none, and returns the milliseconds until there are so many. */
  take(key: string, now: number, count?: number): number;
}

/** Anyone who was forgotten starts with a full bucket, as one that was quiet does. */
const REMEMBERED_KEYS = 10_000;

/** Opens buckets, which are full at first. */
export function openTokenBuckets(rate: TokenRate): TokenBuckets {
  const buckets = new LRUCache<string, TokenBucket>({ max: REMEMBERED_KEYS });
  return {
    take(key, now, count = 1) {
      const bucket = buckets.get(key) ?? { tokens: rate.burst, filledAt: now };
      buckets.set(key, bucket);
      return takeTokens(bucket, rate, { now, count });
    },
  };
}
