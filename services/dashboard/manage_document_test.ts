import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { removalsOf } from "@posthaste/contracts";
import { z } from "zod";
import { openTestDashboard } from "./_test_dashboard.ts";
import { MANAGE_ENDPOINTS, manageDocument } from "./manage/manage_document.ts";

const BASELINE = new URL("fixtures/manage_openapi_v1.json", import.meta.url);

const plain = () => JSON.parse(JSON.stringify(manageDocument()));

test("manageDocument() keeps every path, field and code of the baseline", async () => {
  const baseline = JSON.parse(await readFile(BASELINE, "utf8"));
  assert.ok(Object.keys(baseline.paths).length > 40);
  assert.deepEqual(removalsOf(baseline, plain()), []);
  const stricter = plain();
  const path = "/manage/v1/templates/{kind}/{id}/publish";
  stricter.paths[path].post.security[0].token.push("send");
  assert.deepEqual(removalsOf(baseline, stricter), [
    `/paths/${path}/post/security: {"token":["manage:templates"]} no longer suffices`,
  ]);
});

test("manageDocument() names every operation once, and says which bodies may be missing", () => {
  const names = MANAGE_ENDPOINTS.map(({ operation }) => operation);
  assert.equal(new Set(names).size, names.length);
  assert.doesNotMatch(JSON.stringify(plain()), /"\$schema":|"\$id"|9007199254740991/);
  const { paths } = plain();
  assert.equal(paths["/manage/v1/webhooks/{id}/enable"].post.requestBody.required, false);
  assert.equal(paths["/manage/v1/webhooks"].post.requestBody.required, true);
  const test = paths["/manage/v1/templates/email/{id}/test"].post;
  assert.equal(test.description, "Scope: manage:templates and send");
  assert.deepEqual(test.security, [{ token: ["manage:templates", "send"] }]);
});

test("GET /manage/v1/openapi.json serves the document to any token, and 304 until it changes", async () => {
  await using dashboard = await openTestDashboard();
  const { own: { accountId, owner }, store, program } = dashboard;
  const { token } = await store.tokens.create({ accountId, name: "CI", scopes: ["read"] });
  const path = "/manage/v1/openapi.json";
  const { status, body, headers } = await program(token).get(path);
  assert.equal(status, 200);
  assert.deepEqual(body, plain());
  const etag = String(headers["etag"]);
  assert.equal((await program(token).get(path, { "if-none-match": etag })).status, 304);
  assert.equal((await owner.get(path)).status, 401);
});

test("docs/manage.md shows answers and bodies of the interface", async () => {
  const page = await readFile(new URL("../../docs/manage.md", import.meta.url), "utf8");
  const blocks = [...page.matchAll(/^```json\n([^]*?)^```$/gm)].map(([, text = ""]) => text);
  assert.ok(blocks.length >= 3, `${blocks.length} blocks`);
  const schemas = MANAGE_ENDPOINTS.flatMap(({ answer, body }) => body ? [answer, body] : [answer])
    // These accept any object: the document itself, for one.
    .filter((schema) => !schema.safeParse({ openapi: "", other: 1 }).success);
  assert.ok(schemas.length > 50);
  for (const text of blocks) {
    const value = JSON.parse(text);
    assert.ok(schemas.some((schema) => schema.safeParse(value).success), text);
  }
});

test("every body and query below /manage/v1 refuses fields that it does not know, on each level", () => {
  const open: string[] = [];
  const visit = (part: unknown, place: string): void => {
    if (typeof part !== "object" || part === null) return;
    const { properties, additionalProperties } = part as Record<string, unknown>;
    if (typeof properties === "object" && additionalProperties !== false) open.push(place);
    for (const [key, value] of Object.entries(part)) visit(value, `${place}/${key}`);
  };
  for (const { method, path, body, query } of MANAGE_ENDPOINTS) {
    for (const schema of [body, query]) {
      if (schema === undefined) continue;
      visit(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }), `${method} ${path}`);
    }
  }
  assert.deepEqual(open, []);
});
