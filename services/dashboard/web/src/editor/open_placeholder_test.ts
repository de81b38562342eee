import assert from "node:assert/strict";
import { test } from "node:test";
import { openPlaceholder } from "./open_placeholder.ts";

test("openPlaceholder() finds the word of a placeholder that is being written", () => {
  assert.deepEqual(openPlaceholder("Hello {{ na"), { kind: "name", from: 9, word: "na" });
  assert.deepEqual(openPlaceholder("{{customer.na"), {
    kind: "name",
    from: 2,
    word: "customer.na",
  });
  assert.deepEqual(openPlaceholder("{{{"), { kind: "name", from: 3, word: "" });
});

test("openPlaceholder() distinguishes blocks, closing tags and arguments", () => {
  assert.equal(openPlaceholder("{{#ea")?.kind, "block");
  assert.equal(openPlaceholder("{{~#ea")?.kind, "block");
  assert.equal(openPlaceholder("{{#if paid}}x{{/i")?.kind, "close");
  assert.equal(openPlaceholder("{{> fo")?.kind, "partial");
  assert.equal(openPlaceholder("{{#> ba")?.kind, "partial");
  assert.equal(openPlaceholder("{{> foot na")?.kind, "argument");
  assert.equal(openPlaceholder("{{#each li")?.kind, "argument");
  assert.equal(openPlaceholder("{{date at loc")?.kind, "argument");
  assert.equal(openPlaceholder("{{#if (e")?.kind, "name");
});

test("openPlaceholder() returns null outside, in comments and in quoted texts", () => {
  assert.equal(openPlaceholder("Hello"), null);
  assert.equal(openPlaceholder("{{name}} and "), null);
  assert.equal(openPlaceholder("{{! rem"), null);
  assert.equal(openPlaceholder('{{date at "sho'), null);
});
