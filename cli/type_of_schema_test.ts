import assert from "node:assert/strict";
import { test } from "node:test";
import { docComment, propertyKey, typeOfSchema } from "./type_of_schema.ts";
import { typesOfTemplates } from "./types_of_templates.ts";

test("typeOfSchema() writes the type of every kind of schema", () => {
  const cases: [unknown, string][] = [
    [{}, "unknown"],
    [true, "unknown"],
    [{ type: "integer" }, "number"],
    [{ type: ["string", "null"] }, "string | null"],
    [{ type: ["integer", "number"] }, "number"],
    [{ const: "success" }, '"success"'],
    [{ enum: ["a", "b"] }, '"a" | "b"'],
    [{ anyOf: [{ type: "string" }, { type: "null" }] }, "string | null"],
    [{ anyOf: [{ type: "string" }, {}] }, "unknown"],
    [{ type: "array", items: { type: "string" } }, "string[]"],
    [{ type: "array", items: { type: ["string", "null"] } }, "Array<string | null>"],
    [{ type: "array" }, "unknown[]"],
    [{ type: "object" }, "Record<string, unknown>"],
    [{ type: "object", additionalProperties: { type: "number" } }, "Record<string, number>"],
    [{ type: "object", additionalProperties: false }, "Record<string, never>"],
    [{ type: "file" }, "unknown"],
  ];
  for (const [schema, type] of cases) {
    assert.equal(typeOfSchema(schema), type, JSON.stringify(schema));
  }
});

test("typeOfSchema() allows values that servers may add, and undefined for optional fields", () => {
  const schema = { type: "object", properties: { state: { enum: ["sent"] } } };
  assert.equal(
    typeOfSchema(schema, { open: true, loose: true }),
    '{\n  state?: "sent" | (string & Record<never, never>) | undefined;\n}',
  );
});

test("typeOfSchema() ends at a depth that no template has", () => {
  let schema: unknown = { type: "string" };
  for (let depth = 0; depth < 1000; depth++) {
    schema = { type: "object", required: ["a"], properties: { a: schema } };
  }
  assert.match(typeOfSchema(schema), /a: unknown;/);
});

test("no text of a schema leaves its comment or its quotes", () => {
  assert.equal(docComment("a */ b\n c"), "/** a *\\/ b c */");
  assert.equal(propertyKey("first_name"), "first_name");
  assert.equal(propertyKey('a"; b'), '"a\\"; b"');
  assert.equal(propertyKey("first-name"), '"first-name"');
});

test("typesOfTemplates() extends the interfaces of the client, one field for each alias", () => {
  const schema = {
    type: "object",
    required: ["name"],
    properties: {
      name: { type: ["string"], description: "First name" },
      "order-no": { type: ["number", "null"] },
    },
  };
  const text = typesOfTemplates({ email: [["welcome", schema]], pdf: [] });
  assert.match(text, /^declare module "@posthaste\/client" \{$/m);
  assert.match(
    text,
    /welcome: \{\n {6}\/\*\* First name \*\/\n {6}name: string;\n {6}"order-no"\?: number \| null \| undefined;\n {4}\};/,
  );
});
