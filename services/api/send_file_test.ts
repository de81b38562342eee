import assert from "node:assert/strict";
import { test } from "node:test";
import { dispositionOf } from "./send_file.ts";

test("dispositionOf() returns a file name in ASCII and in UTF-8, and replaces quotes", () => {
  assert.equal(
    dispositionOf('invoice ü "1"\r\n(x).pdf'),
    'attachment; filename="invoice _ _1___(x).pdf"; ' +
      "filename*=UTF-8''invoice%20%C3%BC%20%221%22%0D%0A%28x%29.pdf",
  );
  assert.doesNotThrow(() => dispositionOf("half \ud800.pdf"));
});
