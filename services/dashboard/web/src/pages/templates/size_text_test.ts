import assert from "node:assert/strict";
import { test } from "node:test";
import { sizeText } from "./size_text.ts";

test("sizeText() counts as the settings of limits do", () => {
  assert.deepEqual([0, 999, 3400, 999_949, 1_000_000, 100_000_000].map(sizeText), [
    ...["0 bytes", "999 bytes", "3.4 KB", "1000 KB", "1.0 MB", "100 MB"],
  ]);
});
