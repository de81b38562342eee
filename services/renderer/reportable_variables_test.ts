import assert from "node:assert/strict";
import { test } from "node:test";
import { reportableVariables } from "./reportable_variables.ts";

function variable(name: string, paths: string[]) {
  const place = { line: 1, column: 1 };
  const fields = paths.map((path) => ({ path, part: "html" as const, ...place }));
  return { name, paths, usedIn: ["html" as const], ...place, fields };
}

test("reportableVariables() returns an ordinary template's variables unchanged", () => {
  const variables = [variable("a", ["a.b", "a.c"]), variable("d", ["d"])];
  assert.deepEqual(reportableVariables(variables), variables);
});

test("reportableVariables() returns no more than fits into an answer", () => {
  const long = "n".repeat(1000);
  const many = Array.from({ length: 5000 }, (_, index) => variable(`v${index}`, [long, long]));
  const short = Array.from({ length: 5000 }, (_, index) => variable(`v${index}`, ["x"]));
  assert.ok(JSON.stringify(reportableVariables(many)).length < 200_000);
  assert.equal(reportableVariables(short).length, 500);
  const paths = Array.from({ length: 5000 }, (_, index) => `a.${index}`);
  assert.equal(reportableVariables([variable("a", paths)])[0]?.paths.length, 50);
  const fields = reportableVariables(["a", "b"].map((name) => variable(name, paths)))
    .flatMap(({ fields = [] }) => fields);
  assert.equal(fields.length, 500);
});
