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

test("explainVariables() lists what a template declares or reads, by its first part", () => {
  assert.deepEqual(explainVariables(version, levels), {
    ...{ greeting: "default", lines: "top", customer: "recipient", note: "missing" },
  });
});

test("explainValues() gives the values that the template is filled with, and no others", () => {
  const values = { greeting: "Hi", lines: [], customer: { name: "A" }, note: null };
  assert.deepEqual(explainValues(version, levels), values);
});
