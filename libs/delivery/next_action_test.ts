import assert from "node:assert/strict";
import { test } from "node:test";
import type { OutcomeState } from "./ledger.ts";
import { isWanted, mayClose } from "./next_action.ts";

const STATES: OutcomeState[] = ["sent", "deferred", "failed", "canceled", "suppressed", "unknown"];

test("mayClose() leaves held messages to a person, and allows nothing after a final outcome", () => {
  const those = (may: typeof mayClose) =>
    [undefined, ...STATES].filter((state) => may(state && { attempt: 1, state }));
  assert.deepEqual(those(isWanted), [undefined, "deferred"]);
  assert.deepEqual(those(mayClose), [undefined, "deferred", "unknown"]);
});
