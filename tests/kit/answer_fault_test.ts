import assert from "node:assert/strict";
import { test } from "node:test";
import { bundlePlanSchema, type Endpoint, V1_FORM } from "@posthaste/contracts";
import { answerFault } from "./answer_fault.ts";

/** Its schema is open, and has defaults. */
const endpoint: Endpoint = {
  ...{ method: "GET", path: "/v1/plan", operation: "getPlan", summary: "x", scopes: [] },
  answer: bundlePlanSchema,
};

const faultOf = (value: unknown, status = 200) =>
  answerFault(endpoint, V1_FORM, {
    ...{ status, type: "application/json; charset=utf-8", payload: JSON.stringify(value) },
  });

test("answerFault() finds fields that the endpoint does not list, also where its schema is open", () => {
  const fault = { file: "email/a/subject.hbs", message: "x" };
  const plan = { plan: "pln_1", changes: [], faults: [fault], warnings: [] };
  assert.equal(faultOf(plan), undefined);
  assert.equal(faultOf({ ...plan, extra: 1 }), '"extra" is not in the list');
  const more = { ...plan, faults: [fault, { ...fault, b: 1 }] };
  assert.equal(faultOf(more), '"faults.1.b" is not in the list');
});

test("answerFault() finds wrong values, types and codes", () => {
  assert.match(faultOf({ plan: 1 }) ?? "", /expected string/);
  assert.match(faultOf({ error: "x", code: "unknown_send" }, 404) ?? "", /404 unknown_send is not/);
  assert.match(faultOf({ error: "x" }, 401) ?? "", /401 with another body/);
  assert.equal(faultOf({ error: "Unauthenticated" }, 401), undefined);
  const html = { status: 200, type: "text/html", payload: "<p>" };
  assert.match(answerFault(endpoint, V1_FORM, html) ?? "", /200 with text\/html/);
});
