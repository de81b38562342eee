import assert from "node:assert/strict";
import { test } from "node:test";
import { sampleValue } from "./sample_value.ts";

test("sampleValue() returns numbers, days and addresses for names that suggest them", () => {
  const now = new Date("2026-03-01T12:00:00Z");
  assert.equal(sampleValue("dueAt", now), "2026-03-15");
  assert.equal(sampleValue("date", now), "2026-03-15");
  assert.equal(typeof sampleValue("unitPrice"), "number");
  assert.equal(sampleValue("portalUrl"), "https://example.com");
  assert.equal(sampleValue("isPaid"), true);
});

test("sampleValue() returns the name itself if it suggests nothing", () => {
  for (const name of ["name", "island", "format", "update"]) assert.equal(sampleValue(name), name);
});
