import assert from "node:assert/strict";
import { test } from "node:test";
import { shareSchemas } from "./shared_schemas.ts";

const point = { type: "object", properties: { x: { type: "number" } } };
const line = { type: "object", properties: { from: point, to: point } };

test("shareSchemas() refers to named schemas wherever they occur, and within each other", () => {
  const { part, schemas } = shareSchemas({ answer: [line, line, { ...point, title: "other" }] }, [
    ...[["Point", point], ["Line", line], ["Unused", { type: "null" }]] as const,
  ]);
  const reference = { $ref: "#/components/schemas/Line" };
  assert.deepEqual(part, { answer: [reference, reference, { ...point, title: "other" }] });
  const place = { $ref: "#/components/schemas/Point" };
  assert.deepEqual(schemas, {
    Line: { type: "object", properties: { from: place, to: place } },
    Point: point,
  });
});
