import assert from "node:assert/strict";
import { test } from "node:test";
import { mergeVariables } from "./precedence.ts";

test("mergeVariables() follows the example of the interface: the lowest level wins", () => {
  const top = { name: "A" };
  const [first, second] = [{ name: "B" }, undefined];
  const attachment = { name: "C" };
  assert.equal(mergeVariables(top, first)["name"], "B");
  assert.equal(mergeVariables(top, first, undefined)["name"], "B");
  assert.equal(mergeVariables(top, second)["name"], "A");
  assert.equal(mergeVariables(top, second, attachment)["name"], "C");
  assert.deepEqual(top, { name: "A" });
});

test("mergeVariables() replaces a nested value as a whole", () => {
  const merged = mergeVariables({ a: { x: 1, y: 2 }, b: 1 }, { a: { x: 3 } }, { b: null });
  assert.deepEqual({ ...merged }, { a: { x: 3 }, b: null });
});

test("mergeVariables() pollutes no prototype", () => {
  const malicious = JSON.parse('{"__proto__":{"admin":true},"constructor":"c"}');
  const merged = mergeVariables({ a: 1 }, malicious);
  assert.equal(Object.getPrototypeOf(merged), null);
  assert.equal(merged["admin"], undefined);
  assert.equal(merged["constructor"], "c");
  assert.equal(({} as Record<string, unknown>)["admin"], undefined);
});
