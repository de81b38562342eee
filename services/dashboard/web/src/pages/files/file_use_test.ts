import assert from "node:assert/strict";
import { test } from "node:test";
import { fileUse } from "./file_use.ts";

test("fileUse() returns what templates write for images and fonts, and requests for other files", () => {
  const textOf = (contentType: string) => fileUse({ name: "a.b", contentType }).text;
  assert.equal(textOf("image/png"), '{{asset "a.b"}}');
  assert.equal(
    textOf("font/woff2"),
    '@font-face { font-family: "a.b"; src: url({{asset "a.b"}}) }',
  );
  assert.equal(textOf("application/pdf"), '{"asset":"a.b"}');
});
