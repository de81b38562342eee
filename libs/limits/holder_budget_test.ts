import assert from "node:assert/strict";
import { test } from "node:test";
import { openHolderBudget } from "./holder_budget.ts";

test("a budget refuses what does not fit, of all and of one holder", () => {
  const budget = openHolderBudget({ max: 100, maxPerHolder: 60 });
  assert.equal(budget.take(60, { holder: "a", held: 0 }), undefined);
  assert.equal(budget.take(1, { holder: "a", held: 0 }), "holder");
  assert.equal(budget.take(40, { holder: "b", held: 0 }), undefined);
  assert.equal(budget.take(1, { holder: "c", held: 0 }), "all");
  budget.free({ holder: "a", held: 60 });
  assert.equal(budget.take(60, { holder: "c", held: 0 }), undefined);
});

test("a budget gives one taker what it needs, however much", () => {
  const budget = openHolderBudget({ max: 10 });
  assert.equal(budget.take(8, { holder: "a", held: 0 }), undefined);
  assert.equal(budget.take(8, { holder: "a", held: 8 }), undefined);
  assert.equal(budget.take(1, { holder: "b", held: 0 }), "all");
});
