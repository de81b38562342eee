import assert from "node:assert/strict";
import { test } from "node:test";
import { openTokenBuckets, reserveToken, takeTokens, type TokenBucket } from "./token_bucket.ts";

test("takeTokens() keeps to the rate, whatever it is, and returns when to come again", () => {
  for (const perMinute of [1, 7, 60, 6000]) {
    const rate = { perMs: perMinute / 60_000, burst: Math.max(1, perMinute / 60) };
    const bucket: TokenBucket = { tokens: 1, filledAt: 0 };
    let taken = 0;
    for (let now = 0; now < 5 * 60_000;) {
      const waitMs = takeTokens(bucket, rate, { now });
      if (waitMs === 0) taken++;
      else now += waitMs;
    }
    assert.ok(taken <= perMinute * 5 + rate.burst, `${taken} at ${perMinute}`);
    assert.ok(taken >= perMinute * 5 * 0.98, `${taken} at ${perMinute}`);
  }
});

test("takeTokens() saves up to the burst, and takes all or none", () => {
  const bucket: TokenBucket = { tokens: 0, filledAt: 0 };
  const rate = { perMs: 0.01, burst: 10 };
  assert.equal(takeTokens(bucket, rate, { now: 3_600_000, count: 8 }), 0);
  assert.equal(takeTokens(bucket, rate, { now: 3_600_000, count: 3 }), 100);
  assert.equal(takeTokens(bucket, rate, { now: 3_600_000, count: 2 }), 0);
});

test("takeTokens() adds nothing for a clock that goes back", () => {
  const bucket: TokenBucket = { tokens: 0, filledAt: 1000 };
  assert.ok(takeTokens(bucket, { perMs: 1, burst: 10 }, { now: 0 }) > 0);
});

test("takeTokens() removes nothing for a clock that goes back", () => {
  const bucket: TokenBucket = { tokens: 2, filledAt: 1000 };
  const rate = { perMs: 1, burst: 10 };
  const waits = [0, 0, 0, 1].map((now) => takeTokens(bucket, rate, { now }));
  assert.deepEqual(waits, [0, 0, 1, 0]);
});

test("reserveToken() gives each the next token, and takes none that comes too late", () => {
  const bucket = { tokens: 1, filledAt: 0 };
  const rate = { perMs: 1 / 1000, burst: 1 };
  const reserve = (now: number) => reserveToken(bucket, rate, { now, maxWaitMs: 2500 });
  assert.deepEqual([0, 0, 0, 0, 0].map(reserve), [0, 1000, 2000, undefined, undefined]);
  assert.deepEqual([500, 500].map(reserve), [2500, undefined]);
  assert.deepEqual([3999, 10_000, 10_000].map(reserve), [1, 0, 1000]);
});

test("openTokenBuckets() keeps a bucket for each key, and remembers a limited number", () => {
  const buckets = openTokenBuckets({ perMs: 0.001, burst: 1 });
  assert.deepEqual([buckets.take("0", 0), buckets.take("0", 0)], [0, 1000]);
  for (let key = 1; key < 10_000; key++) buckets.take(`${key}`, 0);
  assert.equal(buckets.take("1", 0), 1000);
  buckets.take("10000", 0);
  assert.equal(buckets.take("0", 0), 0);
});
