import assert from "node:assert/strict";
import { test } from "node:test";
import { cpuRatio } from "@posthaste/kit";
import { dataWeight } from "./_data_weight.ts";

test("dataWeight() counts texts, names and nodes", () => {
  assert.equal(dataWeight({ ab: ["cde", 1] }, 1e6), 16 + 2 + 16 + 16 + 3 + 16);
});

test("dataWeight() stops at its limit, however large or endless the value", async () => {
  const endless: Record<string, unknown> = {};
  endless["self"] = endless;
  assert.ok(dataWeight(endless, 1e6) > 1e6);
  const [long, atLimit] = [1e6, 1e4].map((length) => Array.from({ length }, () => 0));
  const weigh = (list: unknown) => () => assert.ok(dataWeight({ list }, 1e5) > 1e5);
  const ratio = await cpuRatio(weigh(long), weigh(atLimit), { below: 10 });
  assert.ok(ratio < 10, `a list 100 times as long costs ${ratio} times as much`);
});
