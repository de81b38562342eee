import assert from "node:assert/strict";
import { test } from "node:test";
import { explainValues, explainVariables } from "./explain_variables.ts";

const version = {
  variables: [{ name: "greeting", required: false, default: "Hi" }],
  reads: ["lines[].price", "customer.name", "note"].map((path) => ({
    ...{ path, uses: [], always: false },
  })),
};
const levels = { top: { lines: [], other: 1, note: null }, recipient: { customer: { name: "A" } } };

test("explainVariables() lists the variables that a template declares or reads, by their first part", () => {
  assert.deepEqual(explainVariables(version, levels), {
    ...{ greeting: "default", lines: "top", customer: "recipient", note: "missing" },
  });
});

test("explainValues() returns only the values that the template is filled with", () => {
  const values = { greeting: "Hi", lines: [], customer: { name: "A" }, note: null };
  assert.deepEqual(explainValues(version, levels), values);
});
