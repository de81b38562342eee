import { deepEqual, equal, throws } from "node:assert/strict";
import { test } from "node:test";
import { percentile, percentiles, spreadOf } from "./statistics.ts";

test("percentile() returns the nearest rank, for any order of the values", () => {
  const values = Array.from({ length: 100 }, (_, index) => 100 - index);
  deepEqual(percentiles(values), { p50: 50, p95: 95, p99: 99 });
  equal(percentile([7], 0.99), 7);
});

test("percentile() refuses an empty list", () => {
  throws(() => percentile([], 0.5), RangeError);
});

test("spreadOf() returns a measured value, not one between", () => {
  deepEqual(spreadOf([30, 10, 20]), { median: 20, min: 10, max: 30 });
});
