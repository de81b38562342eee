import assert from "node:assert/strict";
import { test } from "node:test";
import { depthOf, MAX_VARIABLE_DEPTH, variablesSchema } from "./variables.ts";

function nested(levels: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = "x";
  for (let level = 0; level < levels; level++) value = wrap(value);
  return value;
}

test("depthOf() counts objects and arrays, but not scalars", () => {
  for (const scalar of ["x", 1, true, null, undefined]) assert.equal(depthOf(scalar), 0);
  assert.equal(depthOf({}), 1);
  assert.equal(depthOf([]), 1);
  assert.equal(depthOf({ a: 1, b: { c: [1] }, d: {} }), 3);
});

test("depthOf() stops one level beyond its limit, however deep the value is", () => {
  assert.equal(depthOf(nested(32, (inner) => ({ inner })), 32), 32);
  assert.equal(depthOf(nested(33, (inner) => ({ inner })), 32), 33);
  assert.equal(depthOf(nested(100_000, (inner) => [inner]), 32), 33);
});

test("variablesSchema accepts any JSON in an object, 32 levels deep", () => {
  const values = { text: "x", number: 1, yes: true, none: null, list: [{}], object: { a: [] } };
  assert.deepEqual(variablesSchema.parse(values), values);
  const deepest = nested(MAX_VARIABLE_DEPTH, (inner) => ({ inner }));
  assert.ok(variablesSchema.safeParse(deepest).success);
  assert.ok(!variablesSchema.safeParse({ deepest }).success);
});

test("variablesSchema refuses values that are no object", () => {
  for (const value of [[], null, "x", 1, undefined]) {
    const messages = variablesSchema.safeParse(value).error?.issues.map(({ message }) => message);
    assert.deepEqual(messages, ["must be an object of variable names and values"]);
  }
});

test("variablesSchema keeps a key such as __proto__ as data", () => {
  const parsed = variablesSchema.parse(JSON.parse('{"__proto__":{"admin":true},"a":1}'));
  assert.deepEqual(Object.keys(parsed), ["__proto__", "a"]);
});
