import assert from "node:assert/strict";
import { test } from "node:test";
import { openPriorityBudget, type PriorityBudget } from "./priority_budget.ts";

function prioritiesOf(budget: PriorityBudget, counts: number[], now: number = 0): string {
  return counts.map((count) => budget.priorityFor("acc_1", count, now)[0]).join("");
}

test("priorityFor() returns transactional priority up to the burst, then bulk priority", () => {
  const budget = openPriorityBudget({ rate: 50, burst: 3 });
  assert.equal(prioritiesOf(budget, [1, 1, 1, 1, 1]), "tttbb");
});

test("priorityFor() refills the budget at the rate, and not beyond the burst", () => {
  const budget = openPriorityBudget({ rate: 50, burst: 3 });
  assert.equal(prioritiesOf(budget, [1, 1, 1, 1]), "tttb");
  assert.equal(prioritiesOf(budget, [1], 19), "b");
  assert.equal(prioritiesOf(budget, [1, 1], 20), "tb");
  assert.equal(prioritiesOf(budget, [1, 1, 1, 1], 3_600_000), "tttb");
});

test("priorityFor() counts messages, and subtracts none for a send that does not fit", () => {
  const budget = openPriorityBudget({ rate: 50, burst: 12 });
  assert.equal(prioritiesOf(budget, [10, 3, 2, 1]), "tbtb");
});

test("priorityFor() returns bulk for more than ten recipients, at no cost to the budget", () => {
  const budget = openPriorityBudget({ rate: 50, burst: 10 });
  assert.equal(prioritiesOf(budget, [11, 1000, 10, 1]), "bbtb");
});

test("priorityFor() keeps a budget for each account", () => {
  const budget = openPriorityBudget({ rate: 50, burst: 1 });
  assert.equal(prioritiesOf(budget, [1, 1]), "tb");
  assert.equal(budget.priorityFor("acc_2", 1, 0), "transactional");
});

test("priorityFor() sets no limit at rate 0", () => {
  const budget = openPriorityBudget({ rate: 0, burst: 1 });
  assert.equal(prioritiesOf(budget, [1, 10, 10, 11]), "tttb");
});

test("openPriorityBudget() keeps a limited number of accounts in memory", () => {
  const budget = openPriorityBudget({ rate: 1, burst: 1 });
  const priority = (account: number) => budget.priorityFor(`acc_${account}`, 1, 0);
  assert.deepEqual([priority(0), priority(0)], ["transactional", "bulk"]);
  for (let account = 1; account < 10_000; account++) priority(account);
  assert.equal(priority(1), "bulk");
  priority(10_000);
  assert.equal(priority(0), "transactional");
});
