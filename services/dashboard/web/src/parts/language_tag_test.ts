import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalTag, COMMON_LANGUAGES, languageName } from "./language_tag.ts";

test("canonicalTag() returns the canonical form, and null for what is no language tag", () => {
  assert.equal(canonicalTag(" de-at "), "de-AT");
  assert.equal(canonicalTag("ZH-hant-tw"), "zh-Hant-TW");
  for (const text of ["", "de_AT", "German (Austria)"]) assert.equal(canonicalTag(text), null);
});

test("languageName() returns the name of a language, and a wrong tag unchanged", () => {
  assert.equal(languageName("de-AT"), "Austrian German");
  assert.equal(languageName("de_AT"), "de_AT");
});

test("COMMON_LANGUAGES are canonical tags with a name", () => {
  for (const tag of COMMON_LANGUAGES) {
    assert.equal(canonicalTag(tag), tag);
    assert.notEqual(languageName(tag), tag);
  }
});
