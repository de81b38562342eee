import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalLocale, localeChain, localeSchema } from "./locale.ts";

test("localeChain() leaves out region and script in turn", () => {
  assert.deepEqual(localeChain("de-Latn-AT"), ["de-Latn-AT", "de-Latn", "de-AT", "de"]);
  assert.deepEqual(localeChain("de-AT"), ["de-AT", "de-Latn", "de"]);
  assert.deepEqual(localeChain("de"), ["de", "de-Latn"]);
});

test("localeChain() finds a text in the script of the region before one in another script", () => {
  assert.deepEqual(localeChain("zh-TW"), ["zh-TW", "zh-Hant", "zh"]);
  assert.deepEqual(localeChain("zh-Hant-HK"), ["zh-Hant-HK", "zh-Hant", "zh-HK", "zh"]);
  assert.deepEqual(localeChain("sr-Latn"), ["sr-Latn", "sr"]);
});

test("localeChain() takes tags in any case, with variants and extensions, and old ones", () => {
  assert.deepEqual(localeChain("DE-at"), localeChain("de-AT"));
  assert.deepEqual(localeChain("de-DE-1996-u-nu-latn"), [
    ...["de-DE-1996", "de-DE", "de-Latn", "de"],
  ]);
  assert.deepEqual(localeChain("iw-IL"), ["he-IL", "he-Hebr", "he"]);
});

test("localeChain() of what is no tag is empty", () => {
  for (const tag of ["", "de_AT", "deutsch-österreich", "*", "de--AT", "\u0000", "constructor!"]) {
    assert.deepEqual([localeChain(tag), canonicalLocale(tag)], [[], undefined], tag);
    assert.equal(localeSchema.safeParse(tag).success, false, tag);
  }
});

test("localeSchema takes tags up to 100 characters", () => {
  const long = `de-x-${"abcdefgh-".repeat(11)}`.slice(0, -1);
  assert.ok(canonicalLocale(long));
  assert.equal(localeSchema.safeParse("de-AT").success, true);
  assert.equal(localeSchema.safeParse(long).success, false);
});
