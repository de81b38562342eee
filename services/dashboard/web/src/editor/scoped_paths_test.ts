import assert from "node:assert/strict";
import { test } from "node:test";
import { scopedPaths } from "./scoped_paths.ts";

const PATHS = ["name", "lines", "lines[].price", "lines[].tags[].label", "customer.city"];

test("scopedPaths() offers lists by name, and not the fields of their items", () => {
  assert.deepEqual(scopedPaths(PATHS, []), ["name", "lines", "customer.city"]);
});

test("scopedPaths() offers the fields of the items inside an each, and the rest by @root", () => {
  const blocks = [{ name: "if", argument: "name" }, { name: "each", argument: "lines" }];
  assert.deepEqual(scopedPaths(PATHS, blocks), [
    "price",
    "tags",
    "@root.name",
    "@root.lines",
    "@root.customer.city",
  ]);
});

test("scopedPaths() follows an each inside an each", () => {
  const blocks = [{ name: "each", argument: "lines" }, { name: "each", argument: "tags" }];
  assert.equal(scopedPaths(PATHS, blocks)[0], "label");
});

test("scopedPaths() follows a with", () => {
  assert.equal(scopedPaths(PATHS, [{ name: "with", argument: "customer" }])[0], "city");
});
