import assert from "node:assert/strict";
import { test } from "node:test";
import { touchedText } from "./touched_text.ts";

test("touchedText() counts the templates that change", () => {
  assert.equal(touchedText(0), "No template uses it yet");
  assert.equal(touchedText(1), "This edit changes 1 template");
  assert.equal(touchedText(14), "This edit changes 14 templates");
});
