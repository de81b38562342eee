import assert from "node:assert/strict";
import { test } from "node:test";
import { mergeVariables } from "./precedence.ts";
import { missingVariables, withDefaults } from "./required_variables.ts";

const declared = [
  { name: "name", required: true },
  { name: "constructor", required: true },
  { name: "plan", required: true, default: "free" },
  { name: "note", required: false },
];

test("missingVariables() names required variables that are neither given nor defaulted", () => {
  assert.deepEqual(missingVariables(declared, mergeVariables({})), ["name", "constructor"]);
  assert.deepEqual(missingVariables(declared, { name: null }), ["name", "constructor"]);
});

test("missingVariables() treats an empty text, 0 and false as given", () => {
  for (const value of ["", 0, false]) {
    assert.deepEqual(missingVariables(declared, { name: value, constructor: 1 }), []);
  }
});

test("withDefaults() replaces only missing or null values", () => {
  assert.equal(withDefaults(declared, { plan: null })["plan"], "free");
  assert.equal(withDefaults(declared, { plan: "" })["plan"], "");
  assert.deepEqual(Object.keys(withDefaults(declared, {})), ["plan"]);
});
