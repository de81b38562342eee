import assert from "node:assert/strict";
import { test } from "node:test";
import type { ReadUse } from "@posthaste/contracts";
import { openTestApp, publishedTemplate } from "./_test_app.ts";
import { variablesSchemaOf } from "./variables_schema.ts";

const read = (path: string, ...uses: ReadUse[]) => ({ path, uses, always: false });
const HEAD = { $schema: "https://json-schema.org/draft/2020-12/schema", type: "object" };

test("variablesSchemaOf() derives objects and arrays from paths, and types from uses", () => {
  const schema = variablesSchemaOf({
    title: "welcome",
    variables: [
      { name: "name", required: true, description: "First name" },
      { name: "note", required: true, default: "-" },
    ],
    reads: [
      ...[read("name", "printed"), read("note", "printed"), read("vip", "tested")],
      ...[read("lines", "iterated"), read("lines[].price", "number"), read("due", "date")],
      ...[read("customer", "tested"), read("customer.name", "printed")],
      ...[read("tags", "iterated"), read("tags[]", "printed"), read("grid[].[].x", "printed")],
    ],
  });
  const printed = { type: ["string", "number", "boolean", "null"] };
  assert.deepEqual(schema, {
    ...{ ...HEAD, title: "welcome", required: ["name"] },
    properties: {
      name: { type: ["string", "number", "boolean"], description: "First name" },
      note: { ...printed, default: "-" },
      vip: {},
      lines: {
        type: "array",
        items: { type: "object", properties: { price: { type: ["number", "string", "null"] } } },
      },
      due: { type: ["string", "number", "null"] },
      customer: { type: "object", properties: { name: printed } },
      tags: { type: "array", items: printed },
      grid: schema["properties"]?.["grid" as never],
    },
  });
});

test("variablesSchemaOf() names the declared variables if nothing else is known", () => {
  assert.deepEqual(
    variablesSchemaOf({ title: "t", variables: [{ name: "a", required: true }] }),
    { ...HEAD, title: "t", required: ["a"], properties: { a: {} } },
  );
});

test("templatesRoute() serves the schema of a version, and 304 afterwards", async () => {
  const reads = [read("name", "printed")];
  await using api = openTestApp({
    templates: {
      findPublished: (_accountId, kind, id) =>
        Promise.resolve(id === "5" || id === "7" ? { ...publishedTemplate(kind), reads } : null),
    },
  });
  for (const [path, title] of [["templates/5", "welcome"], ["pdf-templates/7", "invoice"]]) {
    const { status, headers, body } = await api.get(`/v1/${path}/schema`);
    assert.equal(status, 200);
    assert.equal(headers["content-type"], "application/schema+json; charset=utf-8");
    assert.equal(body.title, title);
    assert.ok(body.properties.name.type.includes("string"));
    const etag = { "if-none-match": String(headers["etag"]) };
    assert.equal((await api.get(`/v1/${path}/schema`, etag)).status, 304);
  }
  assert.equal((await api.get("/v1/templates/6/schema")).body.code, "unknown_template");
});
