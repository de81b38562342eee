import assert from "node:assert/strict";
import { test } from "node:test";
import { missingCharacters } from "./missing_characters.ts";

const FOUND = { named: new Set(["\ue123"]), hasUnnamed: false, drawn: new Set<string>() };

test("missingCharacters() shows a character with the text around it, without tags", () => {
  const html = "<style>p::before { content: '\ue123' }</style><p title='\ue123'>Dear \ue123!</p>";
  assert.deepEqual(missingCharacters(FOUND, [html]), ['U+E123 in "Dear \ue123!"']);
  assert.deepEqual(missingCharacters(FOUND, ["<p>Hi <b \ue123"]), ["U+E123"]);
});

test("missingCharacters() takes time proportional to the length of malicious documents", () => {
  const pieces = [
    "<!",
    "<a",
    "</",
    "<?",
    "<",
    "<!--",
    "<style",
    "<style>",
    "</style ",
    "&a",
    "&#1",
  ];
  for (const piece of pieces) {
    const html = `\ue123${piece.repeat(2_000_000 / piece.length)}`;
    assert.match(missingCharacters(FOUND, [html]).join(), /^U\+E123/, piece);
  }
});
