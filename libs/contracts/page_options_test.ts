import assert from "node:assert/strict";
import { test } from "node:test";
import { pageOptionsSchema } from "./page_options.ts";

function pathsOf(options: unknown): string[] {
  const issues = pageOptionsSchema.safeParse(options).error?.issues ?? [];
  return issues.map(({ path }) => path.join("."));
}

test("pageOptionsSchema turns an empty value into an A4 page with margins of 15 mm", () => {
  assert.deepEqual(pageOptionsSchema.parse({}), {
    format: "A4",
    orientation: "portrait",
    margin: { top: "15mm", right: "15mm", bottom: "15mm", left: "15mm" },
    background: true,
    images: "none",
    missing: "fail",
  });
});

test("pageOptionsSchema keeps the other margins if one is given", () => {
  const { margin } = pageOptionsSchema.parse({ margin: { top: "0.5in" } });
  assert.deepEqual(margin, { top: "0.5in", right: "15mm", bottom: "15mm", left: "15mm" });
});

test("pageOptionsSchema accepts a custom size, a header and a footer", () => {
  const options = {
    format: { width: "100mm", height: "60mm" },
    header: { left: "Acme" },
    footer: { right: "{page} / {pages}" },
  };
  assert.deepEqual(pathsOf(options), []);
});

test("pageOptionsSchema refuses lengths that contain more than a length", () => {
  for (const top of ["15", "-1mm", "1e3mm", "1mm;}", "calc(1mm)", "1.mm", " 1mm", "1mm\n"]) {
    assert.deepEqual(pathsOf({ margin: { top } }), ["margin.top"], JSON.stringify(top));
  }
});

test("pageOptionsSchema refuses unknown formats, orientations and fields", () => {
  assert.deepEqual(pathsOf({ format: "A9", orientation: "up" }), ["format", "orientation"]);
  assert.deepEqual(pathsOf({ margins: {} }), [""]);
  assert.deepEqual(pathsOf({ header: { top: "Acme" } }), ["header"]);
});
