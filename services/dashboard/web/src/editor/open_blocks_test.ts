import assert from "node:assert/strict";
import { test } from "node:test";
import { openBlocks } from "./open_blocks.ts";

test("openBlocks() lists the blocks that are open at the end of a text, outermost first", () => {
  const text = "{{#if paid}}{{#each order.lines as |line|}}{{#unless x}}{{/unless}} {{name}}";
  assert.deepEqual(openBlocks(text), [
    { name: "if", argument: "paid" },
    { name: "each", argument: "order.lines" },
  ]);
});

test("openBlocks() closes unclosed blocks inside a block that ends", () => {
  assert.deepEqual(openBlocks("{{#each a}}{{#if b}}{{/each}}"), []);
  assert.deepEqual(openBlocks("{{/each}}"), []);
});
