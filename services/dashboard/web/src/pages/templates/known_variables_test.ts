import assert from "node:assert/strict";
import { test } from "node:test";
import { declareVariable, knownVariables, requiredAtFirst } from "./known_variables.ts";

const FOUND = [{ name: "b", paths: ["b.c"], usedIn: ["html" as const], line: 1, column: 1 }];

test("knownVariables() combines read and declared variables", () => {
  const declared = [{ name: "a", required: true }, { name: "b", required: true }];
  const known = knownVariables(declared, { found: FOUND, sample: {} });
  assert.deepEqual(known.map(({ declaration }) => declaration.name), ["b", "a"]);
  assert.equal(known[0]?.declaration.required, true);
  assert.deepEqual(known[0]?.lacking, ["b.c"]);
  assert.equal(known[1]?.found, null);
});

test("declareVariable() adds and changes declarations, and drops empty ones", () => {
  const one = declareVariable([], { name: "a", required: true });
  assert.deepEqual(one, [{ name: "a", required: true }]);
  const two = declareVariable(one, { name: "a", required: false, default: 0, description: "" });
  assert.deepEqual(two, [{ name: "a", required: false, default: 0 }]);
  assert.deepEqual(declareVariable(two, { name: "a", required: false }), []);
});

test("requiredAtFirst() names what every message prints, until its author declares it", () => {
  const found = [...FOUND, { ...FOUND[0], name: "a", always: true }] as typeof FOUND;
  assert.deepEqual(requiredAtFirst([], found), ["a"]);
  const [, known] = knownVariables([], { found, sample: {}, isNew: true });
  assert.deepEqual(known?.declaration, { name: "a", required: true });
  const optional = declareVariable([], { name: "a", required: false }, true);
  assert.deepEqual(optional, [{ name: "a", required: false }]);
  assert.deepEqual(requiredAtFirst(optional, found), []);
});
