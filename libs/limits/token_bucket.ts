import { LRUCache } from "lru-cache";

/** A bucket of tokens that fills evenly. Times are in milliseconds of a monotonic clock. */
export interface TokenBucket {
  tokens: number;
  filledAt: number;
}

/** A rate limit. */
export interface TokenRate {
  /** Tokens that are added each millisecond. */
  perMs: number;
  /** The most tokens in a bucket: the size of a burst after a quiet time. */
  burst: number;
}

/** Returns how many tokens are in a bucket now. A part of one may be. */
export function tokensIn(bucket: TokenBucket, { perMs, burst }: TokenRate, now: number): number {
  bucket.tokens = Math.min(burst, bucket.tokens + Math.max(0, now - bucket.filledAt) * perMs);
  bucket.filledAt = now;
  return bucket.tokens;
}

/**
 * Takes tokens out of a bucket, all or none.
 *
 * @returns The milliseconds until there are enough; 0 if they were taken.
 */
export function takeTokens(
  bucket: TokenBucket,
  rate: TokenRate,
  { now, count = 1 }: { now: number; count?: number },
): number {
  const tokens = tokensIn(bucket, rate, now);
  if (tokens < count) return Math.ceil((count - tokens) / rate.perMs);
  bucket.tokens -= count;
  return 0;
}

/**
 * Takes a token, also one that is added later: who asks then gets a later one.
 *
 * @returns The milliseconds until it is there; undefined if that is more than `maxWaitMs`, and nothing is taken.
 */
export function reserveToken(
  bucket: TokenBucket,
  rate: TokenRate,
  { now, maxWaitMs }: { now: number; maxWaitMs: number },
): number | undefined {
  const waitMs = takeTokens(bucket, rate, { now });
  if (waitMs > maxWaitMs) return undefined;
  if (waitMs > 0) bucket.tokens -= 1;
  return waitMs;
}

/** A bucket for each key. */
export interface TokenBuckets {
  /**
   * Takes tokens of a key, all or none. Returns the milliseconds until there are enough; 0 if they were
   * taken.
   */
  take(key: string, now: number, count?: number): number;
}

/** The most keys to remember. A forgotten key starts with a full bucket, like one that was quiet. */
const REMEMBERED_KEYS = 10_000;

/** Opens buckets, which are full at first. */
export function openTokenBuckets(rate: TokenRate): TokenBuckets {
  const buckets = new LRUCache<string, TokenBucket>({
    // With `max`, it would take the memory of all of them now: a millisecond for each of the limits of a service.
    ...{ maxSize: REMEMBERED_KEYS, sizeCalculation: () => 1 },
  });
  return {
    take(key, now, count = 1) {
      const bucket = buckets.get(key) ?? { tokens: rate.burst, filledAt: now };
      buckets.set(key, bucket);
      return takeTokens(bucket, rate, { now, count });
    },
  };
}
