import assert from "node:assert/strict";
import { test } from "node:test";
import { readMarks } from "./read_marks.ts";
import { textPlaces } from "./text_places.ts";

const MARKED = "\n\ufdda\ufdd0\ufddc\n Dear Ada\n\ufddd\n\ufdda\ufdd1\ufddcBye 😀\ufddd";

test("textPlaces() finds marked texts although marks have changed spaces", () => {
  const shown = "Dear Ada\nBye 😀\n";
  const places = textPlaces(shown, readMarks(MARKED));
  assert.deepEqual(places.map(({ number, start, end }) => [number, shown.slice(start, end)]), [
    [0, "Dear Ada"],
    [1, "Bye 😀"],
  ]);
});

test("textPlaces() keeps the places in the same text, and finds none in another one", () => {
  const marks = readMarks(MARKED);
  assert.deepEqual(textPlaces(marks.text, marks), marks.texts);
  assert.deepEqual(textPlaces("Dear Bob\nBye 😀", marks), []);
  assert.deepEqual(textPlaces("Dear Ada", marks), []);
  const empty = readMarks("a\ufdda\ufdd0\ufddc \ufddd b");
  assert.deepEqual(textPlaces("a b", empty), []);
});
