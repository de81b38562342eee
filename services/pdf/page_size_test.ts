import assert from "node:assert/strict";
import { test } from "node:test";
import { pageSizeOf } from "./page_size.ts";

const margin = { top: "10mm", right: "1in", bottom: "36pt", left: "96px" };

test("pageSizeOf() returns paper and margins in inches", () => {
  assert.deepEqual(pageSizeOf({ format: "Letter", orientation: "portrait", margin }), {
    width: 8.5,
    height: 11,
    margin: { top: 10 / 25.4, right: 1, bottom: 0.5, left: 1 },
  });
});

test("pageSizeOf() makes the longer side the width for landscape only", () => {
  const format = { width: "20cm", height: "10cm" };
  const portrait = pageSizeOf({ format, orientation: "portrait", margin });
  const landscape = pageSizeOf({ format: "A5", orientation: "landscape", margin });
  assert.ok(portrait.width > portrait.height, "a size given by its sides is taken as it is");
  assert.ok(landscape.width > landscape.height);
});

test("pageSizeOf() refuses margins that leave no room and endless paper", () => {
  const wide = { ...margin, left: "120mm", right: "90mm" };
  assert.throws(
    () => pageSizeOf({ format: "A4", orientation: "portrait", margin: wide }),
    /the margins leave no space/,
  );
  const endless = { width: "210mm", height: "9000mm" };
  assert.throws(
    () => pageSizeOf({ format: endless, orientation: "portrait", margin }),
    /between 0.5 and 200 inches/,
  );
});
