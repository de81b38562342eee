import assert from "node:assert/strict";
import { test } from "node:test";
import { openApiDocument } from "@posthaste/contracts";
import { endpointGroups } from "./endpoint_list.ts";
import { exampleOf } from "./example_of.ts";
import { trialPath } from "./trial_path.ts";

test("endpointGroups() shows every endpoint of the document, with its scopes, parameters and errors", () => {
  const groups = endpointGroups(openApiDocument());
  const all = groups.flatMap(({ endpoints }) => endpoints);
  const paths = Object.values(openApiDocument()["paths"] as object).flatMap(Object.keys);
  assert.equal(all.length, paths.length);
  const send = all.find(({ path }) => path === "/v1/templates/{template}/send/{integration}") ??
    all.find(({ path, method }) => method === "POST" && path.includes("/send/"));
  assert.ok(send, all.map(({ path }) => path).join("\n"));
  assert.deepEqual(send.scopes, ["send"]);
  assert.ok(send.body && send.answer);
  assert.ok(send.parameters.some((one) => one.in === "path"));
  for (const [status, codes] of [["429", "too_many_requests"], ["500", "internal"]] as const) {
    assert.equal(send.errors.find((error) => error.status === status)?.codes, codes);
  }
  const lists = all.find(({ path, method }) => method === "GET" && path === "/v1/messages");
  assert.ok(lists?.parameters.some((one) => one.in === "query" && one.description !== ""));
});

test("exampleOf() makes a body that begins a send", () => {
  const send = endpointGroups(openApiDocument()).flatMap(({ endpoints }) => endpoints)
    .find(({ path, method }) => method === "POST" && path.includes("/send/"));
  const example = exampleOf(send?.body ?? {}) as { from: { email: string }; to: unknown[] };
  assert.match(example.from.email, /@/);
  assert.equal(example.to.length, 1);
});

test("trialPath() fills the path, and leaves out what is empty", () => {
  const parameters = [
    { name: "id", in: "path", description: "" },
    { name: "limit", in: "query", description: "" },
    { name: "after", in: "query", description: "" },
  ] as const;
  const filled = trialPath("/v1/messages/{id}", parameters, { id: "a/b", limit: "5", after: "" });
  assert.equal(filled, "/v1/messages/a%2Fb?limit=5");
});
