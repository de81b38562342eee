import assert from "node:assert/strict";
import { test } from "node:test";
import { extensionOf, usualFilename } from "./asset_filename.ts";

test("usualFilename() adds the ending of the type, unless the name has it", () => {
  assert.equal(usualFilename("logo", "image/png"), "logo.png");
  assert.equal(usualFilename("logo.jpeg", "image/jpeg"), "logo.jpeg");
  assert.equal(usualFilename("v1.2", "text/csv; charset=utf-8"), "v1.2.csv");
  assert.equal(usualFilename("data", "application/x-other"), "data");
});

test("extensionOf() returns the ending of a name that is not only an ending", () => {
  const names = ["logo.png", "v1.2.tar.GZ", ".hidden", "none", "", "a.", "x\n.png"];
  assert.deepEqual(names.map(extensionOf), [".png", ".GZ", "", "", "", ".", ".png"]);
});
