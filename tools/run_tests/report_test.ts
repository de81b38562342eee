import assert from "node:assert/strict";
import { test } from "node:test";
import { type FileReport, hasFailed, summarize } from "./report.ts";

function reportOf(file: string, more: Partial<FileReport> = {}): FileReport {
  const result = { failures: [], passed: 1, skipped: 0, leftovers: [], durationMs: 10 };
  return { file, output: "", ...result, ...more };
}

test("summarize() ends with what failed, why, and how to run it again", () => {
  const reports = [
    reportOf("a_test.ts", { failures: [{ name: "adds", line: 7, reason: "Error: 3" }] }),
    reportOf("b_test.ts", { skipped: 2 }),
    reportOf("c_test.ts", { leftovers: ["1 open Timeout"], output: "late words\n" }),
  ];
  const lines = summarize(reports, 61_000).split("\n").filter((line) => line !== "");
  assert.deepEqual(lines, [
    "3 files, 3 tests passed, 1 failed, 2 skipped, 61 s",
    "FAILED a_test.ts",
    "  ✖ adds  (line 7)",
    "    Error: 3",
    "FAILED c_test.ts",
    "  ✖ leaves behind: 1 open Timeout",
    "  printed last:",
    "    late words",
    "Run again: npm test -- a_test.ts c_test.ts",
  ]);
});

test("summarize() lists the ten slowest files of many", () => {
  const reports = Array.from({ length: 12 }, (_, at) => {
    return reportOf(`${at}_test.ts`, { durationMs: at * 1000 });
  });
  const lines = summarize(reports, 0).split("\n");
  assert.deepEqual(lines.slice(0, 2), ["Slowest files:", "   11.0 s  11_test.ts"]);
  assert.equal(lines.filter((line) => line.endsWith("_test.ts")).length, 10);
});

test("hasFailed() counts what a file left behind", () => {
  assert.ok(!hasFailed(reportOf("a_test.ts")));
  assert.ok(hasFailed(reportOf("a_test.ts", { leftovers: ["global x"] })));
});
