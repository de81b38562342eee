import assert from "node:assert/strict";
import { test } from "node:test";
import { integrationLabels } from "./integration_labels.ts";

test("integrationLabels() names at most this many integrations and calls all others other", () => {
  const label = integrationLabels(2);
  const of = (integrationId: number) => label({ accountId: "acc", integrationId });
  assert.deepEqual([of(1), of(2), of(3), of(1)], ["acc/1", "acc/2", "other", "acc/1"]);
});

test("integrationLabels() returns no label if there should be none", () => {
  assert.equal(integrationLabels(0)({ accountId: "acc", integrationId: 1 }), undefined);
});
