import assert from "node:assert/strict";
import { test } from "node:test";
import { ENDPOINTS, openApiDocument } from "@posthaste/contracts";
import { openTestApp } from "./_test_app.ts";

test("openApiRoute() serves the document to any token, and 304 until it changes", async () => {
  await using api = openTestApp();
  const render = { authorization: "Bearer ph_render" };
  const { status, headers, body } = await api.get("/v1/openapi.json", render);
  assert.equal(status, 200);
  assert.deepEqual(body, JSON.parse(JSON.stringify(openApiDocument())));
  const etag = String(headers["etag"]);
  assert.match(etag, /^"[\w-]{22}"$/);
  for (const [known, expected] of [[etag, 304], [`"x", W/${etag}`, 304], ['"x"', 200]] as const) {
    const again = await api.get("/v1/openapi.json", { ...render, "if-none-match": known });
    assert.equal(again.status, expected, known);
    assert.equal(again.headers["etag"], etag);
  }
  assert.equal((await api.get("/v1/openapi.json", { authorization: "" })).status, 401);
});

test("every endpoint of ENDPOINTS is served, only to tokens with its scopes", async () => {
  await using api = openTestApp();
  for (const { method, path, scopes } of ENDPOINTS) {
    const url = path.replaceAll(/\{\w+\}/g, "1");
    for (const token of ["render", "send", "read"] as const) {
      const headers = { authorization: `Bearer ph_${token}` };
      const answer = await api.ask(method, url, {
        ...{ headers, ...(method === "GET" ? {} : { body: {} }) },
      });
      const isAllowed = scopes.length === 0 || scopes.includes(token);
      assert.equal(answer.status === 403, !isAllowed, `${method} ${path} as ${token}`);
      assert.notEqual(answer.body.code, "unknown_route", path);
    }
  }
});
