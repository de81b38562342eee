import assert from "node:assert/strict";
import { test } from "node:test";
import { completeSample, lackingPaths } from "./complete_sample.ts";

test("completeSample() fills what is missing with something to look at", () => {
  const paths = ["name", "customer.city", "lines", "lines[].price", "tags[]"];
  assert.deepEqual(completeSample({}, paths), {
    name: "name",
    customer: { city: "city" },
    lines: [{ price: 12.5 }],
    tags: ["tag"],
  });
});

test("completeSample() keeps existing values, even if they have another type", () => {
  const sample = { customer: { name: "Ada" }, lines: [{ name: "Desk" }], total: 3, tags: [] };
  const paths = ["customer.city", "lines[].price", "total.net", "tags[].x", "customer.name"];
  assert.deepEqual(completeSample(sample, paths), {
    customer: { name: "Ada", city: "city" },
    lines: [{ name: "Desk", price: 12.5 }],
    total: 3,
    tags: [],
  });
  assert.deepEqual(sample.customer, { name: "Ada" }, "the given sample was changed");
});

test("completeSample() does not touch the prototype", () => {
  const completed = completeSample({}, ["__proto__.polluted", "a.__proto__.polluted"]);
  assert.equal(Object.getPrototypeOf(completed), Object.prototype);
  assert.deepEqual(Object.getPrototypeOf(completed["a"]), Object.prototype);
});

test("lackingPaths() returns the missing paths", () => {
  const sample = { name: "", at: null, lines: [{ price: 1 }], none: [] };
  const paths = [
    "name",
    "at",
    "lines[].price",
    "lines[].note",
    "none[].x",
    "other",
    "lines.length",
  ];
  assert.deepEqual(lackingPaths(sample, paths), ["lines[].note", "other"]);
});
