import assert from "node:assert/strict";
import { test } from "node:test";
import { dataWeight } from "./_data_weight.ts";

test("dataWeight() counts texts, names and nodes", () => {
  assert.equal(dataWeight({ ab: ["cde", 1] }, 1e6), 16 + 2 + 16 + 16 + 3 + 16);
});

test("dataWeight() stops at its limit, however large or endless the value", () => {
  const endless: Record<string, unknown> = {};
  endless["self"] = endless;
  assert.ok(dataWeight(endless, 1e6) > 1e6);
  const long = Array.from({ length: 3_000_000 }, () => 0);
  const started = performance.now();
  for (let n = 0; n < 1_000; n++) assert.ok(dataWeight({ long }, 1e6) > 1e6);
  assert.ok(performance.now() - started < 1_000);
});
