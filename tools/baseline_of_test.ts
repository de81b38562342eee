import assert from "node:assert/strict";
import { test } from "node:test";
import { openApiDocument, removalsOf } from "@posthaste/contracts";
import { baselineOf } from "./baseline_of.ts";

const plain = () => JSON.parse(JSON.stringify(openApiDocument()));

const baseline = baselineOf(plain());

test("baselineOf() has no texts, and each part that repeats once", () => {
  const text = JSON.stringify(baseline);
  assert.doesNotMatch(text, /"summary":|"description":"/);
  assert.ok(text.length < JSON.stringify(plain()).length * 0.6, `${text.length}`);
});

test("baselineOf() keeps fields that are named like a text", () => {
  const at = (properties: object) => ({
    paths: { "/a": { get: { properties }, put: { properties, required: [] } } },
  });
  const baseline = baselineOf(at({ default: { type: "string", maxLength: 1000 } }));
  assert.match(removalsOf(baseline, at({})).join(), /get\/properties\/default is gone/);
});

test("baselineOf() promises what its document promises", () => {
  assert.deepEqual(removalsOf(baseline, plain()), []);
  const document = plain();
  const send = document.paths["/v1/templates/{templateId}/send/{integrationId}"].post;
  const schema = send.requestBody.content["application/json"].schema;
  const { properties } = send.responses["200"].content["application/json"].schema;
  const { code } = send.responses["400"].content["application/json"].schema.properties;
  const changes: [() => void, RegExp][] = [
    [() => delete document.paths["/v1/batches"], /\/paths\/\/v1\/batches is gone/],
    [() => delete properties.id, /send.*\/responses\/200\/.*\/id is gone/],
    [() => delete schema.properties.to, /send.*\/requestBody\/.*\/to is gone/],
    [() => schema.required.push("labels"), /send.*\/requestBody\/.*"labels" is new/],
    [() => code.enum.shift(), /send.*\/400\/.*enum: "\w+" is gone/],
    [() => document.components.schemas.Error.properties.code.enum.pop(), /Error\/.* is gone/],
    [() => document.components.responses.unavailable = {}, /\/503\/content is gone/],
  ];
  for (const [change, expected] of changes) {
    change();
    assert.match(removalsOf(baseline, document).join("\n"), expected);
  }
});
