import assert from "node:assert/strict";
import { test } from "node:test";
import { type LaneBudget, openLaneBudget } from "./lane_budget.ts";

function lanesOf(budget: LaneBudget, counts: number[], now: number = 0): string {
  return counts.map((count) => budget.laneFor("acc_1", count, now)[0]).join("");
}

test("laneFor() gives the transactional lane up to the burst, then the bulk lane", () => {
  const budget = openLaneBudget({ rate: 50, burst: 3 });
  assert.equal(lanesOf(budget, [1, 1, 1, 1, 1]), "tttbb");
});

test("laneFor() fills the budget at the rate, and not beyond the burst", () => {
  const budget = openLaneBudget({ rate: 50, burst: 3 });
  assert.equal(lanesOf(budget, [1, 1, 1, 1]), "tttb");
  assert.equal(lanesOf(budget, [1], 19), "b");
  assert.equal(lanesOf(budget, [1, 1], 20), "tb");
  assert.equal(lanesOf(budget, [1, 1, 1, 1], 3_600_000), "tttb");
});

test("laneFor() counts messages, and takes none for a send that does not fit", () => {
  const budget = openLaneBudget({ rate: 50, burst: 12 });
  assert.equal(lanesOf(budget, [10, 3, 2, 1]), "tbtb");
});

test("laneFor() sends more than ten recipients in bulk, at no cost to the budget", () => {
  const budget = openLaneBudget({ rate: 50, burst: 10 });
  assert.equal(lanesOf(budget, [11, 1000, 10, 1]), "bbtb");
});

test("laneFor() keeps a budget for each account", () => {
  const budget = openLaneBudget({ rate: 50, burst: 1 });
  assert.equal(lanesOf(budget, [1, 1]), "tb");
  assert.equal(budget.laneFor("acc_2", 1, 0), "transactional");
});

test("laneFor() sets no limit at rate 0", () => {
  const budget = openLaneBudget({ rate: 0, burst: 1 });
  assert.equal(lanesOf(budget, [1, 10, 10, 11]), "tttb");
});

test("openLaneBudget() remembers only so many accounts", () => {
  const budget = openLaneBudget({ rate: 1, burst: 1 });
  const lane = (account: number) => budget.laneFor(`acc_${account}`, 1, 0);
  assert.deepEqual([lane(0), lane(0)], ["transactional", "bulk"]);
  for (let account = 1; account < 10_000; account++) lane(account);
  assert.equal(lane(1), "bulk");
  lane(10_000);
  assert.equal(lane(0), "transactional");
});
