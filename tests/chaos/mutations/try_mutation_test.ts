import assert from "node:assert/strict";
import { test } from "node:test";
import { nightly } from "@posthaste/kit";
import { findMutations, tryMutation } from "./try_mutation.ts";

nightly("tests/chaos/mutations/mutations_test.ts", "tests/chaos/records/reconcile_test.ts");

test("the chaos tests sees it when each attempt has a Message-ID of its own", async () => {
  const [mutation] = findMutations(["M7"]);
  assert.ok(mutation);
  const { detected, evidence } = await tryMutation({
    ...mutation,
    load: { messages: 60, minutes: 0.04 },
  }, 5);
  assert.ok(detected, evidence);
  assert.match(evidence, /I4 \d+x/);
});
