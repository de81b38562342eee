import assert from "node:assert/strict";
import { test } from "node:test";
import { openRandom } from "../random.ts";
import { clearFaults, drawFault, unknownOutcomeFaults } from "./smtp_fault.ts";

test("drawFault() draws each fault of a stage by its share, and none of another stage", () => {
  const faults = unknownOutcomeFaults(0.2);
  const random = openRandom("draw");
  const drawn = Array.from({ length: 3000 }, () => drawFault(faults, "dot", random)?.do ?? "none");
  const counts = Map.groupBy(drawn, (action) => action);
  for (const action of ["close", "reset", "reply_then_reset"] as const) {
    const count = counts.get(action)?.length ?? 0;
    assert.ok(count > 500 && count < 700, `${action}: ${count}`);
  }
  assert.equal(drawFault(faults, "rcpt", random), undefined);
});

test("clearFaults() has none after which the outcome is unknown", () => {
  for (const { stage, action } of clearFaults(0.1)) {
    assert.ok(stage !== "dot" || !["close", "reset", "reply_then_reset"].includes(action.do));
  }
});
