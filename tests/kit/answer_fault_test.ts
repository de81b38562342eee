import assert from "node:assert/strict";
import { test } from "node:test";
import { type Endpoint, V1_FORM } from "@posthaste/contracts";
import { z } from "zod";
import { answerFault } from "./answer_fault.ts";

const endpoint: Endpoint = {
  ...{ method: "GET", path: "/v1/things", operation: "listThings", summary: "x", scopes: [] },
  answer: z.object({
    data: z.array(z.object({ id: z.string() })),
    at: z.iso.datetime().transform((text) => new Date(text)).optional(),
    free: z.looseObject({}).optional(),
    more: z.array(z.string()).default([]),
  }),
};

const faultOf = (value: unknown, status = 200) =>
  answerFault(endpoint, V1_FORM, {
    ...{ status, type: "application/json; charset=utf-8", payload: JSON.stringify(value) },
  });

test("answerFault() finds fields that the endpoint does not list, also where its schema is open", () => {
  const item = { id: "1" };
  assert.equal(faultOf({ data: [item], at: "2026-01-02T03:04:05Z", free: { any: 1 } }), undefined);
  assert.equal(faultOf({ data: [item], extra: 1 }), '"extra" is not in the list');
  assert.equal(faultOf({ data: [item, { ...item, b: 1 }] }), '"data.1.b" is not in the list');
});

test("answerFault() finds wrong values, types and codes", () => {
  assert.match(faultOf({ data: [{ id: 1 }] }) ?? "", /expected string/);
  assert.match(faultOf({ error: "x", code: "unknown_send" }, 404) ?? "", /404 unknown_send is not/);
  assert.match(faultOf({ error: "x" }, 401) ?? "", /401 with another body/);
  assert.equal(faultOf({ error: "Unauthenticated" }, 401), undefined);
  const html = { status: 200, type: "text/html", payload: "<p>" };
  assert.match(answerFault(endpoint, V1_FORM, html) ?? "", /200 with text\/html/);
});
