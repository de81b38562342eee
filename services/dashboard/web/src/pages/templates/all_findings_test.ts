import assert from "node:assert/strict";
import { test } from "node:test";
import type { LintFinding } from "../../../../interface/templates.ts";
import { allFindings, countFindings } from "./all_findings.ts";

const FAULT = { part: "html" as const, line: 3, column: 1, message: "There is no helper" };
const ADVICE: LintFinding = {
  severity: "warning",
  part: "html",
  line: 1,
  column: 1,
  rule: "image_without_alt",
  message: "No alt",
};

test("allFindings() puts faults before advice, and lists nothing twice", () => {
  const same: LintFinding = { ...FAULT, severity: "error", rule: "unknown_helper" };
  const all = allFindings({ errors: [FAULT], findings: [ADVICE, same] });
  assert.deepEqual(all.map(({ message }) => message), ["There is no helper", "No alt"]);
});

test("countFindings() returns the number in words, or null", () => {
  assert.equal(countFindings([ADVICE], "warning"), "1 warning");
  assert.equal(countFindings([ADVICE, ADVICE], "warning"), "2 warnings");
  assert.equal(countFindings([ADVICE], "error"), null);
});
