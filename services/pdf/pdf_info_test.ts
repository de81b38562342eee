import assert from "node:assert/strict";
import { test } from "node:test";
import { infoText } from "./pdf_info.ts";

test("infoText() reads text in parentheses and in hex", () => {
  const info = "/Title (a \\(b\\) \\\\ \\303)\n/Author <FEFF5A00D83DDE00>\n/Other <616263>";
  assert.equal(infoText(info, "Title"), "a (b) \\ Ã");
  assert.equal(infoText(info, "Author"), "娀😀");
  assert.equal(infoText(info, "Other"), "abc");
  assert.equal(infoText(info, "Subject"), undefined);
});
