import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { z } from "zod";
import type { TokenScope } from "./documents.ts";
import { removalsOf } from "./removals.ts";
import { type Endpoint, ENDPOINTS } from "./endpoints.ts";
import { FEED_EVENT_TYPES } from "./feed_event.ts";
import { type JsonObject, openApiDocument, openApiOf, V1_FORM } from "./open_api.ts";

const BASELINE = new URL("fixtures/openapi_v1.json", import.meta.url);

/** A request to a webhook endpoint, in the document. */
interface Posted {
  security: unknown[];
  parameters: { name: string; required: boolean }[];
  requestBody: {
    content: Record<"application/json", {
      schema: JsonObject & {
        properties: JsonObject;
      };
    }>;
  };
}

const endpoint: Endpoint = {
  ...{ method: "POST", path: "/v1/things/{id}", operation: "doThing", summary: "Does it" },
  scopes: ["send"],
  body: z.strictObject({ a: z.string(), b: z.string().optional() }),
  answer: z.strictObject({ at: z.iso.datetime(), kind: z.enum(["x", "y"]), title: z.string() }),
  unknown: ["unknown_send"],
  codes: ["missing_variable"],
};

const plain = (changes: Partial<Endpoint> = {}) =>
  JSON.parse(JSON.stringify(openApiOf([{ ...endpoint, ...changes }], V1_FORM)));

test("openApiDocument() keeps every path, field and code of the baseline", async () => {
  const baseline = JSON.parse(await readFile(BASELINE, "utf8"));
  assert.ok(Object.keys(baseline.paths).length > 0);
  assert.deepEqual(removalsOf(baseline, JSON.parse(JSON.stringify(openApiDocument()))), []);
});

test("openApiOf() writes shapes without parts that clients cannot use", () => {
  const { post } = plain().paths["/v1/things/{id}"];
  assert.deepEqual(post.parameters, [
    { name: "id", in: "path", required: true, schema: { type: "string" } },
  ]);
  assert.deepEqual(post.responses[200].content["application/json"].schema, {
    type: "object",
    properties: {
      at: { type: "string", format: "date-time" },
      kind: { type: "string", enum: ["x", "y"] },
      title: { type: "string" },
    },
    required: ["at", "kind", "title"],
  });
  const { 400: { content }, 404: unknown } = post.responses;
  const { properties } = content["application/json"].schema;
  assert.deepEqual(properties.code.enum, [
    ...["invalid_request", "invalid_json", "missing_variable"],
  ]);
  assert.equal(unknown.description, "unknown_send");
});

test("openApiDocument() names every operation once, and describes variables", () => {
  const names = ENDPOINTS.map(({ operation }) => operation);
  assert.equal(new Set(names).size, names.length);
  const text = JSON.stringify(openApiDocument());
  assert.doesNotMatch(text, /"\$schema":"|"\$id"|"\$defs"|9007199254740991/);
  const { paths } = JSON.parse(text);
  const { schema } = paths["/v1/templates/{templateId}/render"].post.requestBody
    .content["application/json"];
  assert.deepEqual(schema, { type: "object" });
});

test("openApiDocument() has the body and the signed headers of every event that webhooks get", () => {
  const { webhooks } = JSON.parse(JSON.stringify(openApiDocument()));
  assert.deepEqual(Object.keys(webhooks), [...FEED_EVENT_TYPES]);
  for (const [type, { post }] of Object.entries<JsonObject & { post: Posted }>(webhooks)) {
    assert.deepEqual(
      post.parameters.map(({ name, required }) => [name, required]),
      ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => [name, true]),
    );
    const { schema: { properties, required } } = post.requestBody.content["application/json"];
    assert.deepEqual(properties["type"], { type: "string", const: type });
    assert.deepEqual(required, ["id", "type", "timestamp", "sequence", "data"]);
    assert.deepEqual(post.security, []);
  }
  const dataOf = (type: string) =>
    Object.keys(
      webhooks[type].post.requestBody.content["application/json"].schema.properties.data.properties,
    );
  assert.ok(dataOf("message.sent").includes("messageId"));
  assert.deepEqual(dataOf("integration.paused"), ["integrationId", "reason"]);
});

test("removalsOf() judges the body of a webhook as an answer: no field may become optional", () => {
  const document = (required: string[]) => ({
    webhooks: { "a.b": { post: { requestBody: { schema: { properties: {}, required } } } } },
  });
  assert.deepEqual(removalsOf(document(["id"]), document(["id", "more"])), []);
  const path = "/webhooks/a.b/post/requestBody/schema/required";
  assert.deepEqual(removalsOf(document(["id"]), document([])), [`${path}: "id" is gone`]);
});

test("removalsOf() finds removals, and accepts additions", () => {
  const before = plain();
  const { answer: _, ...rest } = endpoint;
  assert.deepEqual(removalsOf(before, plain()), []);
  assert.deepEqual(removalsOf(before, openApiOf([], V1_FORM)), ["/paths//v1/things/{id} is gone"]);
  const grown = plain({
    summary: "Does more",
    body: z.strictObject({
      a: z.string().optional(),
      b: z.string().optional(),
      c: z.int().optional(),
    }),
    answer: z.strictObject({
      ...{ at: z.iso.datetime(), kind: z.enum(["x", "y", "z"]), title: z.string(), more: z.int() },
    }),
    codes: ["missing_variable", "template_failed"],
  });
  assert.deepEqual(removalsOf(before, grown), []);
  const cases: [Partial<Endpoint>, RegExp][] = [
    [{ codes: [] }, /enum: "missing_variable" is gone/],
    [{ unknown: [] }, /responses\/404 is gone/],
    [
      { answer: z.strictObject({ at: z.iso.datetime(), kind: z.enum(["x", "y"]) }) },
      /title is gone/,
    ],
    [
      { answer: z.strictObject({ at: z.iso.datetime(), kind: z.enum(["x"]), title: z.string() }) },
      /"y" is gone/,
    ],
    [{ body: z.strictObject({ a: z.string(), b: z.string() }) }, /"b" is new/],
    [{ body: z.strictObject({ a: z.string() }) }, /properties\/b is gone/],
    [
      { body: z.strictObject({ a: z.int(), b: z.string().optional() }) },
      /"string" became "integer"/,
    ],
  ];
  for (const [changes, expected] of cases) {
    const removals = removalsOf(
      before,
      plain({ ...rest, ...changes, answer: changes.answer ?? endpoint.answer }),
    );
    assert.ok(removals.some((each) => expected.test(each)), `${expected}: ${removals.join()}`);
  }
});

test("removalsOf() finds what a request must newly fulfil, and accepts more than before", () => {
  const asked: Partial<Endpoint> = {
    query: z.strictObject({ state: z.string().optional(), limit: z.int().max(9).optional() }),
    body: z.object({ a: z.string(), list: z.array(z.unknown()).optional() }),
  };
  const before = plain(asked);
  const body = (shape: z.core.$ZodLooseShape) => ({
    body: z.object({ a: z.string(), list: z.array(z.unknown()).optional(), ...shape }),
  });
  const query = (state: z.ZodType) => ({
    query: z.strictObject({ state, limit: z.int().max(9).optional() }),
  });
  const cases: [Partial<Endpoint>, RegExp][] = [
    [query(z.enum(["x"]).optional()), /parameters\/state\/schema\/enum is new/],
    [query(z.string().max(5).optional()), /parameters\/state\/schema\/maxLength is new/],
    [body({ a: z.string().regex(/^x/) }), /properties\/a\/pattern is new/],
    [body({ list: z.array(z.unknown()).max(3).optional() }), /list\/maxItems is new/],
    [body({ list: z.array(z.string()).optional() }), /list\/items\/type is new/],
    [{ body: z.strictObject(body({}).body.shape) }, /additionalProperties became false/],
  ];
  for (const [changes, expected] of cases) {
    const found = removalsOf(before, plain({ ...asked, ...changes }));
    assert.ok(found.some((each) => expected.test(each)), `${expected}: ${found.join()}`);
  }
  const { body: _, ...rest } = asked;
  const { body: __, ...plainEndpoint } = endpoint;
  const bodiless = JSON.parse(JSON.stringify(openApiOf([{ ...plainEndpoint, ...rest }], V1_FORM)));
  assert.match(removalsOf(bodiless, before).join("\n"), /post\/requestBody is new/);
  const optional = plain({ ...asked, isBodyOptional: true });
  assert.deepEqual(removalsOf(bodiless, optional), []);
  assert.deepEqual(removalsOf(before, optional), []);
  assert.match(removalsOf(optional, before).join("\n"), /requestBody\/required: false became true/);
  const open = plain({ scopes: [] });
  assert.match(removalsOf(open, plain()).join("\n"), /post\/security: \{"token":\[\]\} no longer/);
  // A field may be named like a limit, and new fields may have limits.
  const more = { enum: z.string().max(3).optional(), pattern: z.enum(["x"]).optional() };
  assert.deepEqual(removalsOf(before, plain({ ...asked, ...body(more) })), []);
  const wider = { query: z.strictObject({ ...asked.query?.shape, more: z.int().optional() }) };
  assert.deepEqual(removalsOf(before, plain({ ...asked, ...wider })), []);
  // What clients read may become more exact.
  const answer = (title: z.ZodType) => ({ ...endpoint, answer: z.strictObject({ title }) });
  const exact = plain(answer(z.string().max(5)));
  assert.deepEqual(removalsOf(plain(answer(z.string())), exact), []);
});

test("openApiOf() says by security requirements that a token needs all scopes of an operation", () => {
  const operation = (scopes: TokenScope[]) => plain({ scopes }).paths["/v1/things/{id}"].post;
  const { security, description } = operation(["read", "send"]);
  assert.deepEqual(security, [{ token: ["read", "send"] }]);
  assert.equal(description, "Scope: read and send");
  // Any token: the requirement of the whole document.
  assert.ok(!("security" in operation([])));
  assert.deepEqual(plain({ scopes: [] }).security, [{ token: [] }]);
});

test("removalsOf() finds scopes by which a token no longer suffices", () => {
  const found = (before: TokenScope[], after: TokenScope[]) =>
    removalsOf(plain({ scopes: before }), plain({ scopes: after }));
  const gone = (scopes: TokenScope[]) => {
    const requirement = JSON.stringify({ token: scopes });
    return [`/paths//v1/things/{id}/post/security: ${requirement} no longer suffices`];
  };
  assert.deepEqual(found(["read"], ["read", "send"]), gone(["read"]));
  assert.deepEqual(found(["read"], ["send"]), gone(["read"]));
  assert.deepEqual(found([], ["send"]), gone([]));
  assert.deepEqual(found(["read", "send"], ["send"]), []);
  assert.deepEqual(found(["read", "send"], []), []);
  assert.deepEqual(found(["read", "send"], ["send", "read"]), []);
});

test("removalsOf() reads security requirements as OpenAPI does: one of a list, all of an object", () => {
  type Requirements = Record<string, string[]>[];
  const document = (security: Requirements | undefined, ofAll: Requirements = [{ token: [] }]) => ({
    security: ofAll,
    paths: { "/a": { get: security ? { security } : {} } },
  });
  const found = (before: Requirements | undefined, after: Requirements | undefined) =>
    removalsOf(document(before), document(after));
  const gone = (requirement: Record<string, string[]>) => [
    `/paths//a/get/security: ${JSON.stringify(requirement)} no longer suffices`,
  ];
  const [read, send, both] = [{ token: ["read"] }, { token: ["send"] }, {
    token: ["read", "send"],
  }];
  assert.deepEqual(found([read, send], [send]), gone(read));
  assert.deepEqual(found([read, send], [both]), [...gone(read), ...gone(send)]);
  assert.deepEqual(found([read], [send, read]), []);
  assert.deepEqual(found([both], [send, { token: ["list"] }]), []);
  assert.deepEqual(found([read], [{ ...read, key: [] }]), gone(read));
  assert.deepEqual(found([{ ...read, key: [] }], [read]), []);
  // Without requirements, those of the whole document count. No or an empty requirement: no token.
  assert.deepEqual(found(undefined, [read]), gone({ token: [] }));
  assert.deepEqual(found([read], undefined), []);
  assert.deepEqual(found([], undefined), gone({}));
  assert.deepEqual(found([{}, read], [read]), gone({}));
  assert.deepEqual(found([read], []), []);
  assert.deepEqual(
    removalsOf(document(undefined), document(undefined, [read])),
    gone({ token: [] }),
  );
});

test("removalsOf() compares a field of an answer that is named like a security requirement", () => {
  const answer = (shape: z.ZodRawShape) => plain({ answer: z.strictObject(shape) });
  const [before, after] = [
    answer({ security: z.string(), at: z.string() }),
    answer({ at: z.string() }),
  ];
  assert.match(removalsOf(before, after).join("\n"), /properties\/security is gone/);
});

/** Two endpoints that share their answers of errors. */
const pair = (changes: Partial<Endpoint> = {}, others: Partial<Endpoint> = changes) =>
  JSON.parse(JSON.stringify(openApiOf([
    { ...endpoint, ...changes },
    { ...endpoint, ...others, path: "/v1/others/{id}", operation: "doOther" },
  ], V1_FORM)));

test("openApiOf() writes an answer that several endpoints have once, and refers to it", () => {
  const { paths, components } = pair({}, { codes: [] });
  const [one, other] = Object.values<{ post: { responses: Record<string, JsonObject> } }>(paths)
    .map(({ post }) => post.responses);
  assert.deepEqual(one?.["503"], { $ref: "#/components/responses/unavailable" });
  assert.deepEqual(other?.["503"], one?.["503"]);
  assert.equal(one?.["400"]?.["description"], "invalid_request, invalid_json, missing_variable");
  assert.deepEqual(components.responses.unavailable, {
    description: "unavailable",
    content: {
      "application/json": {
        schema: {
          $ref: "#/components/schemas/Error",
          properties: { code: { enum: ["unavailable"] } },
        },
      },
    },
  });
});

test("every reference of openApiDocument() has its part, and every shared answer is referred to", () => {
  const document = JSON.parse(JSON.stringify(openApiDocument()));
  const names = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g)];
  assert.ok(names.length > 200, `${names.length} references`);
  for (const [, kind = "", name = ""] of names) {
    assert.ok(Object.hasOwn(document.components[kind], name), `${kind}/${name}`);
    assert.match(name, /^[\w.-]+$/);
  }
  const used = new Set(names.filter(([, kind]) => kind === "responses").map(([, , name]) => name));
  assert.deepEqual(Object.keys(document.components.responses).sort(), [...used].sort());
});

test("removalsOf() finds a code, a status and a field that go in a shared answer", () => {
  const codes = ["missing_variable", "template_failed"] as const;
  const before = pair({ codes });
  assert.deepEqual(removalsOf(before, pair({ codes })), []);
  const shared = "invalid_request.invalid_json.missing_variable";
  assert.ok(Object.hasOwn(before.components.responses, shared));
  const without = removalsOf(before, pair({ codes: ["template_failed"] }));
  for (const path of ["things", "others"]) {
    const place = `/paths//v1/${path}/{id}/post/responses/400/content/application/json/schema`;
    const gone = `${place}/properties/code/enum: "missing_variable" is gone`;
    assert.ok(without.includes(gone), without.join("\n"));
  }
  const statuses = removalsOf(before, pair({ codes: ["missing_variable"] }));
  assert.ok(statuses.includes("/paths//v1/things/{id}/post/responses/422 is gone"));
  const changed = structuredClone(before);
  const { content } = changed.components.responses[shared];
  content["application/json"].schema.properties.code.enum.pop();
  assert.match(removalsOf(before, changed).join("\n"), /400\/.*"missing_variable" is gone/);
  delete changed.components.responses[shared];
  assert.match(removalsOf(before, changed).join("\n"), /responses\/400 is gone/);
  const poorer = structuredClone(before);
  poorer.components.schemas.Error.properties.code.enum.pop();
  assert.match(removalsOf(before, poorer).join("\n"), /schemas\/Error\/.* is gone/);
});

test("removalsOf() accepts an answer that moves into a shared one, or back into its place", () => {
  const alone = pair({}, { codes: [] });
  const together = pair({});
  assert.notDeepEqual(
    Object.keys(alone.components.responses),
    Object.keys(together.components.responses),
  );
  const place = "/v1/things/{id}";
  const only = (document: ReturnType<typeof pair>) => ({
    ...document,
    paths: { [place]: document.paths[place] },
  });
  assert.deepEqual(removalsOf(only(alone), only(together)), []);
  assert.deepEqual(removalsOf(only(together), only(alone)), []);
});
